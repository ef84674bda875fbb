import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

export interface BarePage {
  /** Address of the page for a curve: `?curve=<address of its columns>&width=…&height=…&small=…`. */
  url(curve: string, sizes: { width: number; height: number; smallWidth: number; smallHeight: number }): string;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const series = [
  ['bean_temp', 'oklch(0.62 0.19 40)', 'temperature', 2.5],
  ['exhaust_temp', 'oklch(0.6 0.13 240)', 'temperature', 1.5],
  ['burner_front_temp', 'oklch(0.6 0.15 20)', 'temperature', 1.25],
  ['burner_back_temp', 'oklch(0.6 0.15 60)', 'temperature', 1.25],
  ['ror', 'oklch(0.6 0.13 160)', 'rate', 1.5],
] as const;

/**
 * Only uPlot: loads a curve and draws the five curves with the rate on its own axis, and the three outputs below as
 * steps. The wheel zooms time in all four; Shift and drag pans, as on the roast page.
 */
const script = (): void => {
  const page = globalThis as typeof globalThis & {
    document: {
      body: unknown;
      addEventListener: (name: string, listener: (event: InputEvent) => void, options?: object) => void;
    };
    location: { href: string };
    fetch: typeof fetch;
    uPlot: (new (options: object, data: unknown[], target: unknown) => Plot) & {
      paths: { stepped: (options: object) => unknown };
      sync: (key: string) => { key: string };
    };
    series: readonly (readonly [string, string, string, number])[];
  };
  interface Plot {
    readonly over: { getBoundingClientRect(): { left: number; width: number } };
    readonly scales: { x: { min: number; max: number } };
    setScale(scale: string, range: { min: number; max: number }): void;
    posToVal(position: number, scale: string): number;
  }
  interface InputEvent {
    readonly deltaY: number;
    readonly movementX: number;
    readonly clientX: number;
    readonly buttons: number;
    readonly shiftKey: boolean;
    preventDefault(): void;
  }
  const query = new URL(page.location.href).searchParams;
  const size = (name: string): number => Number(query.get(name));
  const draw = (curve: { time_seconds: number[]; channels: Record<string, number[]>; ror: number[] }): void => {
    const x = curve.time_seconds;
    const columnOf = (name: string) => (name === 'ror' ? curve.ror : (curve.channels[name] ?? []));
    const main = new page.uPlot(
      {
        width: size('width'),
        height: size('height'),
        scales: { x: { time: false }, temperature: { range: [0, 450] }, rate: { range: [-20, 50] } },
        axes: [{}, { scale: 'temperature' }, { scale: 'rate', side: 1, grid: { show: false } }],
        series: [{}, ...page.series.map(([label, stroke, scale, width]) => ({ label, stroke, scale, width }))],
      },
      [x, ...page.series.map(([name]) => columnOf(name))],
      page.document.body,
    );
    const small = ['heat_power', 'fan_speed', 'drum_speed'].map(
      (label) =>
        new page.uPlot(
          {
            width: size('smallWidth'),
            height: size('smallHeight'),
            scales: { x: { time: false }, y: { range: [0, 100] } },
            legend: { show: false },
            series: [
              {},
              { label, stroke: '#888', fill: '#8884', width: 1.5, paths: page.uPlot.paths.stepped({ align: 1 }) },
            ],
          },
          [x, columnOf(label)],
          page.document.body,
        ),
    );
    const [first, last] = [x[0] ?? 0, x.at(-1) ?? 0];
    const show = (min: number, max: number): void => {
      const length = Math.min(max - min, last - first);
      const from = Math.min(Math.max(min, first), last - length);
      for (const plot of [main, ...small]) plot.setScale('x', { min: from, max: from + length });
    };
    page.document.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        const { min, max } = main.scales.x;
        const at = main.posToVal(event.clientX - main.over.getBoundingClientRect().left, 'x');
        const by = event.deltaY < 0 ? 0.9 : 1 / 0.9;
        show(at - (at - min) * by, at + (max - at) * by);
      },
      { passive: false },
    );
    page.document.addEventListener('pointermove', (event) => {
      if (event.buttons === 0 || !event.shiftKey) return;
      const { min, max } = main.scales.x;
      const by = (event.movementX / main.over.getBoundingClientRect().width) * (max - min);
      show(min - by, max - by);
    });
  };
  void page
    .fetch(query.get('curve') ?? '', { credentials: 'include' })
    .then((response) => response.json() as Promise<Parameters<typeof draw>[0]>)
    .then(draw);
};

/** Serves the page on 127.0.0.1; the browser must allow it to read the api's answer (`--disable-web-security`). */
export const serveBareUplot = async (): Promise<BarePage> => {
  const folder = createRequire(import.meta.url)
    .resolve('uplot')
    .replace(/uPlot\.cjs\.js$/, '');
  const files: Record<string, readonly [type: string, text: string]> = {
    '/uplot.js': ['text/javascript', await readFile(`${folder}uPlot.iife.min.js`, 'utf8')],
    '/uplot.css': ['text/css', await readFile(`${folder}uPlot.min.css`, 'utf8')],
    '/': [
      'text/html; charset=utf-8',
      `<!doctype html><html lang="en"><title>uPlot</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/uplot.css"><body><script src="/uplot.js"></script><script>globalThis.series=${JSON.stringify(series)};(${script.toString()})()</script></body></html>`,
    ],
  };
  const server = createServer((request, response) => {
    const [type, text] = files[new URL(request.url ?? '/', 'http://localhost').pathname] ?? [];
    if (type === undefined) response.writeHead(404).end();
    else response.setHeader('content-type', type).setHeader('cache-control', 'max-age=3600').end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: (curve, sizes) =>
      `http://127.0.0.1:${port}/?${new URLSearchParams({
        curve,
        ...Object.fromEntries(Object.entries(sizes).map(([name, value]) => [name, String(Math.round(value))])),
      }).toString()}`,
    close,
    [Symbol.asyncDispose]: close,
  };
};
