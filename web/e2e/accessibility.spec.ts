// SPDX-License-Identifier: Apache-2.0
import axe from 'axe-core';
import type { Page } from '@playwright/test';

import { drop, fileOf } from './support/bring';
import { expect, kSample, results, test } from './support/fixtures';

const kLooks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 320, height: 640 } },
  { name: 'dark phone', colorScheme: 'dark', viewport: { width: 320, height: 640 } },
] as const;

/** What axe-core objects to, one line a rule with the elements it means. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const report = await (window as unknown as { axe: typeof axe }).axe.run();
    return report.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
}

for (const { name, ...look } of kLooks) {
  test.describe(name, () => {
    test.use(look);

    test('nothing stands in the way of assistive technology, and nothing sticks out', async ({ page, open }, info) => {
      const picture = (what: string) => page.screenshot({ path: info.outputPath(`${what}.png`), fullPage: true });
      await open();
      expect(await violations(page)).toEqual([]);
      await picture('empty');

      await drop(page, fileOf(kSample), fileOf(kSample));
      await expect(results(page)).not.toHaveCount(0);
      expect(await violations(page)).toEqual([]);
      await picture('answered');

      await drop(page, { name: 'notes.txt', type: 'text/plain', base64: 'bm90ZXM=' });
      await expect(page.locator('#problem')).toBeVisible();
      expect(await violations(page)).toEqual([]);
      await picture('refused');

      const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
      expect(scrollWidth).toBe(clientWidth);
    });
  });
}

test('all of it works from the keyboard', async ({ page, open }) => {
  await open();
  const focused = () => page.evaluate(() => document.activeElement?.id ?? '');
  const press = async (key: string) => {
    await page.keyboard.press(key);
    return focused();
  };
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the results' })).toBeFocused();
  expect(await press('Tab')).toBe('model');
  expect(await press('Tab')).toBe('choose');
  const dialog = page.waitForEvent('filechooser');
  await page.keyboard.press('Enter');
  await (await dialog).setFiles([kSample, kSample]);
  await expect(results(page)).not.toHaveCount(0);
  await expect(page.getByText('Photo 1 of 2')).toBeVisible();

  expect(await press('Tab')).toBe('camera');
  expect(await press('Tab')).toBe('next'); // "previous" is disabled at the first photo
  await page.keyboard.press('Enter');
  await expect(page.getByText('Photo 2 of 2')).toBeVisible();
  await expect(results(page)).not.toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Previous' })).toBeEnabled();
  await page.getByRole('button', { name: 'Previous' }).focus();
  await page.keyboard.press('Space');
  await expect(page.getByText('Photo 1 of 2')).toBeVisible();
  await expect(results(page)).not.toHaveCount(0);

  await page.getByLabel('Least score').focus();
  await page.keyboard.press('End');
  await expect(results(page)).toHaveCount(0);
  await page.keyboard.press('Home');
  await expect(results(page)).not.toHaveCount(0);
});

for (const { motion, animated } of [
  { motion: 'reduce', animated: 'none' },
  { motion: 'no-preference', animated: 'busy' },
] as const) {
  test(`with the preference "${motion}" for motion, waiting moves: ${animated}`, async ({ page, open }) => {
    await page.emulateMedia({ reducedMotion: motion });
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/v1/predict/**', async (route) => {
      await held;
      await route.continue();
    });
    await open();
    await drop(page, fileOf(kSample));
    await expect(page.locator('#stage')).toHaveClass(/busy/);
    const name = await page.locator('#stage').evaluate((stage) => getComputedStyle(stage, '::after').animationName);
    expect(name).toBe(animated);
    release?.();
    await expect(page.locator('#stage')).not.toHaveClass(/busy/);
  });
}
