import type { Locator, Page } from 'playwright-core';

/**
 * Lets a page record the drawing on each canvas: texts, whether an area was filled, and whether a line was diagonal.
 * Call it before the page is opened.
 */
export const noteDrawing = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    const paths = new WeakMap<object, { x: number; y: number; aslant: boolean }>();
    // oxlint-disable-next-line unicorn/consistent-function-scoping -- all of this is sent to the page as one text
    const watch = <T extends object>(kind: { prototype: T }, name: keyof T, see: (on: T, given: unknown[]) => void) => {
      const original = Reflect.get(kind.prototype, name) as (...given: unknown[]) => unknown;
      const seen = function seen(this: T, ...given: unknown[]) {
        see(this, given);
        return Reflect.apply(original, this, given);
      };
      Reflect.set(kind.prototype, name, seen);
    };
    watch(CanvasRenderingContext2D, 'fillText', ({ canvas: { dataset } }, [text]) => {
      const texts = new Set((dataset['texts'] ?? '').split('|'));
      dataset['texts'] = [...texts.add(String(text))].join('|');
    });
    watch(CanvasRenderingContext2D, 'fill', ({ canvas: { dataset } }) => {
      dataset['filled'] = 'yes';
    });
    watch(CanvasRenderingContext2D, 'stroke', ({ canvas: { dataset } }, [path]) => {
      if (!(path instanceof Path2D) || dataset['line'] === 'aslant') return;
      dataset['line'] = paths.get(path)?.aslant === true ? 'aslant' : 'steps';
    });
    watch(Path2D, 'moveTo', (path, [x, y]) => {
      paths.set(path, { x: Number(x), y: Number(y), aslant: paths.get(path)?.aslant ?? false });
    });
    watch(Path2D, 'lineTo', (path, given) => {
      const [x, y] = given.map(Number) as [number, number];
      const from = paths.get(path) ?? { x, y, aslant: false };
      const aslant = from.aslant || (Math.abs(from.x - x) > 0.01 && Math.abs(from.y - y) > 0.01);
      paths.set(path, { x, y, aslant });
    });
  });
};

/** The recorded drawing of a chart's canvas since the last `forgetDrawing`. */
export const drawnOn = (chart: Locator): Promise<{ texts: string[]; line: string; filled: boolean }> =>
  chart
    .locator('canvas')
    .first()
    .evaluate((element) => {
      const { texts = '', line = '', filled } = (element as HTMLCanvasElement).dataset;
      return { texts: texts.split('|').filter(Boolean), line, filled: filled === 'yes' };
    });

export const forgetDrawing = (chart: Locator): Promise<void> =>
  chart
    .locator('canvas')
    .first()
    .evaluate((element) => {
      delete (element as HTMLCanvasElement).dataset['texts'];
    });
