// SPDX-License-Identifier: Apache-2.0
//
// Brings files to the page as a person does.

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

import type { Page } from '@playwright/test';

const kTypes: Record<string, string> = { jpg: 'image/jpeg', png: 'image/png', gif: 'image/gif', txt: 'text/plain' };

export interface Brought {
  name: string;
  type: string;
  base64: string;
}

export function fileOf(path: string): Brought {
  const name = basename(path);
  const type = kTypes[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
  return { name, type, base64: readFileSync(path).toString('base64') };
}

/** Drags files over the page and drops them on the picture's place. */
export async function drop(page: Page, ...files: Brought[]): Promise<void> {
  const transfer = await page.evaluateHandle((list) => {
    const data = new DataTransfer();
    for (const { name, type, base64 } of list) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      data.items.add(new File([bytes], name, { type }));
    }
    return data;
  }, files);
  await page.dispatchEvent('#stage', 'dragover', { dataTransfer: transfer });
  await page.dispatchEvent('#stage', 'drop', { dataTransfer: transfer });
  await transfer.dispose();
}

/** Puts a PNG into the system's clipboard and pastes it with the keyboard. */
export async function paste(page: Page, { base64 }: Brought): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(async (data) => {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': new Blob([bytes], { type: 'image/png' }) })]);
  }, base64);
  await page.keyboard.press('Control+V');
}

/** Chooses files in the dialog that the button opens. */
export async function choose(page: Page, ...paths: string[]): Promise<void> {
  const dialog = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose photos' }).click();
  await (await dialog).setFiles(paths);
}
