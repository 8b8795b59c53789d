// SPDX-License-Identifier: Apache-2.0
//
// Where things are, found as in tests/integration/conftest.py: the built program and page, the test data, what the
// set-up fetched; and Debian's own browser, for none is downloaded.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const kRepository = fileURLToPath(new URL('../../..', import.meta.url));
const kData = process.env['WAYSTONE_TEST_DATA'] ?? resolve(kRepository, '../shared/data');
const kHome = process.env['WAYSTONE_HOME'] ?? join(kRepository, '.waystone');

export const kProgram = process.env['WAYSTONE_PROGRAM'] ?? join(kRepository, 'build/release/bin/waystone');
export const kPage = join(kRepository, 'build/release/share/waystone/web');

export const kDetector = 'ssdlite-mobilenet-v2-coco';
export const kClassifier = 'mobilenet-v1-0.25-128-imagenet-int8';

/** Descriptions from the repository, weights from the data and from what the set-up fetched. */
export const kModelFlags = [join(kRepository, 'models'), join(kData, 'models'), join(kHome, 'models')]
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => ['--models', folder]);

/** A file that the set-up fetched, of the test data, and of the repository. */
export const homeFile = (name: string) => join(kHome, name);
export const dataFile = (name: string) => join(kData, name);

/** What to say of files that are not there; empty when all are. */
export function missing(...files: string[]): string {
  const absent = files.filter((file) => !existsSync(file));
  if (absent.length === 0) return '';
  return `missing: ${absent.join(', ')} (scripts/setup fetches the demo model and sample; WAYSTONE_TEST_DATA names the folder of test data)`;
}

export const kBrowser = {
  executablePath: process.env['WAYSTONE_CHROMIUM'] ?? '/usr/bin/chromium',
  // Chromium's sandbox does not work for root, as which CI runs.
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
};
