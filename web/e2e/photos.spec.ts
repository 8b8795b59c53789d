// SPDX-License-Identifier: Apache-2.0
import { choose, drop, fileOf, paste } from './support/bring';
import { expect, kSample, results, test } from './support/fixtures';
import { expectBoxesOverPicture, nextAnswer } from './support/overlay';
import { dataFile, kClassifier, missing } from './support/places';

const kPets = dataFile('images/photos-ccby/pets.jpg');
const kFace = dataFile('images/photos-ccby/face.jpg');
const kTurned = dataFile('images/robustness/exif/Landscape_6.jpg');

test('a dropped photo shows its boxes', async ({ page, open }) => {
  await open();
  const answer = nextAnswer(page);
  await drop(page, fileOf(kSample));
  await expectBoxesOverPicture(page, await answer);
  await expect(results(page)).toHaveCount((await answer).results.length);
  await expect(results(page).first()).toContainText((await answer).results[0]!.label);
  await expect(page.locator('#spoken')).toContainText('Found');
  await expect(page.locator('#picture')).toHaveAttribute('aria-label', 'coffee.png');
});

test('a pasted photo shows its boxes', async ({ page, open }) => {
  await open();
  const answer = nextAnswer(page);
  await paste(page, fileOf(kSample));
  await expectBoxesOverPicture(page, await answer);
});

test('the time is told by stage, and the stages fit into the round trip', async ({ page, open }) => {
  await open();
  await choose(page, kSample);
  const value = async (name: string) => Number(await page.getByRole('row', { name }).getByRole('cell').first().textContent());
  await expect(page.getByRole('heading', { name: 'Latency' })).toBeVisible();
  expect(await value('Infer')).toBeGreaterThan(0);
  expect(await value('Server total')).toBeGreaterThanOrEqual(await value('Infer'));
  expect(await value('Round trip')).toBeGreaterThanOrEqual(await value('Server total'));
  await expect(page.locator('#rate')).toBeHidden();
});

test('several photos are looked at one after the other', async ({ page, open }) => {
  test.skip(missing(kPets, kFace) !== '', missing(kPets, kFace));
  await open();
  await choose(page, kPets, kFace);
  await expect(page.getByText('Photo 1 of 2')).toBeVisible();
  await expect(results(page).first()).toContainText('dog');
  await expect(page.getByRole('button', { name: 'Previous' })).toBeDisabled();
  const answer = nextAnswer(page);
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('Photo 2 of 2')).toBeVisible();
  await expectBoxesOverPicture(page, await answer);
  await expect(results(page).first()).toContainText('person');
  await expect(page.getByRole('button', { name: 'Next' })).toBeDisabled();
});

test('a photo that the camera marked as turned is shown upright, with the boxes where the server has them', async ({ page, open }) => {
  test.skip(missing(kTurned) !== '', missing(kTurned));
  await open();
  const answer = nextAnswer(page);
  await drop(page, fileOf(kTurned));
  const { width, height } = await answer;
  expect(width).toBeGreaterThan(height); // upright; the pixels in the file stand on their side
  await expect(page.locator('#figure')).toBeVisible();
  const shown = await page.locator('#picture').boundingBox();
  expect((shown?.width ?? 0) / (shown?.height ?? 1)).toBeCloseTo(width / height, 1);
});

test('the least score hides results in the list and in the picture without asking the server again', async ({ page, open }) => {
  await open();
  await drop(page, fileOf(kSample));
  await expect(results(page)).not.toHaveCount(0);
  let asked = 0;
  page.on('request', (request) => (asked += Number(request.url().includes('/v1/predict/'))));
  await page.getByLabel('Least score').fill('1');
  await expect(results(page)).toHaveCount(0);
  await expect(page.locator('#results-empty')).toContainText('below the least score');
  await page.getByLabel('Least score').fill('0');
  await expect(results(page)).not.toHaveCount(0);
  expect(asked).toBe(0);
});

test('another model looks at the same photo', async ({ page, open }) => {
  const weights = dataFile(`models/${kClassifier}`);
  test.skip(missing(weights, kPets) !== '', missing(weights, kPets));
  await open();
  await drop(page, fileOf(kPets));
  await expect(results(page).first()).toContainText('dog');
  await page.getByLabel('Model').selectOption(kClassifier);
  await expect(page.locator('#spoken')).toContainText('Most likely');
  await expect(results(page)).toHaveCount(5);
});
