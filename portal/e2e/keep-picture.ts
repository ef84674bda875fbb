import { writeFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { TestRoastery } from './roastery.ts';

/** Stores a screenshot as WebP, which the browser itself encodes. Returns the bytes. */
export const keepPicture = async (roastery: TestRoastery, page: Page, file: string): Promise<number> => {
  await page.evaluate(() => document.fonts.ready);
  const png = (await page.screenshot({ animations: 'disabled' })).toString('base64');
  await using blank = await roastery.openAs(null);
  const webp = await blank.page.evaluate(async (source) => {
    const image = new Image();
    image.src = `data:image/png;base64,${source}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext('2d')?.drawImage(image, 0, 0);
    return canvas.toDataURL('image/webp', 0.9).split(',')[1] ?? '';
  }, png);
  const bytes = Buffer.from(webp, 'base64');
  await writeFile(file, bytes);
  return bytes.length;
};
