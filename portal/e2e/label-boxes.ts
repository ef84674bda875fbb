import type { Locator, Page } from 'playwright-core';

/** In CSS pixels of the canvas. */
export interface Box {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Layout {
  /** Texts, where the chart placed them. */
  labels: Box[];
  /** Bands and areas; `text` is empty. */
  fills: Box[];
}

/** Lets each canvas of a page keep the layout of its last drawing. Call it before the page is opened. */
export const keepLayouts = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    type Kept = HTMLCanvasElement & { layout?: { labels: object[]; fills: object[] }; path?: [number, number][] };
    const contexts = CanvasRenderingContext2D.prototype;
    const layoutOf = (canvas: Kept) => (canvas.layout ??= { labels: [], fills: [] });
    // oxlint-disable-next-line unicorn/consistent-function-scoping -- all of this is sent to the page as one text
    const boxOf = (context: CanvasRenderingContext2D, text: string, points: readonly (readonly [number, number])[]) => {
      const { a, b, c, d, e, f } = context.getTransform();
      const xs = points.map(([x, y]) => (a * x + c * y + e) / devicePixelRatio);
      const ys = points.map(([x, y]) => (b * x + d * y + f) / devicePixelRatio);
      return { text, left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
    };
    const watch = (name: keyof CanvasRenderingContext2D, see: (on: CanvasRenderingContext2D, given: never) => void) => {
      const original = Reflect.get(contexts, name) as (...given: unknown[]) => unknown;
      Reflect.set(contexts, name, function seen(this: CanvasRenderingContext2D, ...given: unknown[]) {
        see(this, given as never);
        return Reflect.apply(original, this, given);
      });
    };
    watch('clearRect', ({ canvas }) => {
      delete (canvas as Kept).layout;
    });
    watch('fillText', (on, [text, x, y]: [string, number, number]) => {
      const size = on.measureText(text);
      const corners = [
        [x - size.actualBoundingBoxLeft, y - size.actualBoundingBoxAscent],
        [x + size.actualBoundingBoxRight, y + size.actualBoundingBoxDescent],
      ] as const;
      if (text.trim() !== '') layoutOf(on.canvas).labels.push(boxOf(on, text, corners));
    });
    watch('fillRect', (on, [x, y, width, height]: [number, number, number, number]) => {
      const corners = [
        [x, y],
        [x + width, y + height],
      ] as const;
      layoutOf(on.canvas).fills.push(boxOf(on, '', corners));
    });
    watch('beginPath', ({ canvas }) => {
      (canvas as Kept).path = [];
    });
    for (const name of ['moveTo', 'lineTo'] as const) {
      watch(name, ({ canvas }, point: [number, number]) => (canvas as Kept).path?.push(point));
    }
    watch('fill', (on) => {
      const { path = [] } = on.canvas as Kept;
      if (path.length > 0) layoutOf(on.canvas).fills.push(boxOf(on, '', path));
    });
  });
};

export const layoutOf = (canvas: Locator): Promise<Layout> =>
  canvas.evaluate(
    (element) => (element as HTMLCanvasElement & { layout?: Layout }).layout ?? { labels: [], fills: [] },
  );

/** Pairs of labels on one line with less than `gap` pixels between them. */
export const touching = (labels: readonly Box[], gap: number): string[] =>
  labels.flatMap((one, index) =>
    labels.slice(index + 1).flatMap((other) => {
      const isOneLine = one.top < other.bottom && other.top < one.bottom;
      const isNear = one.left < other.right + gap && other.left < one.right + gap;
      return isOneLine && isNear ? [`${one.text} | ${other.text}`] : [];
    }),
  );

/** Where a chart has a time, from its own labels `00:00` of the time axis. */
export const pixelOf = (labels: readonly Box[], seconds: number): number => {
  const ticks = labels.flatMap(({ text, left, right }) => {
    const [, minutes, rest] = /^(\d\d):(\d\d)$/.exec(text) ?? [];
    return minutes === undefined ? [] : [{ at: Number(minutes) * 60 + Number(rest), x: (left + right) / 2 }];
  });
  const [first, last] = [ticks[0], ticks.at(-1)];
  if (!first || !last || first === last) return Number.NaN;
  return first.x + ((seconds - first.at) * (last.x - first.x)) / (last.at - first.at);
};
