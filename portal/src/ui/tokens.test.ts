import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** OKLCH → linear sRGB (Björn Ottosson's matrices), clamped to the gamut. */
const linearRgb = (lightness: number, chroma: number, hueDegrees: number): number[] => {
  const hue = (hueDegrees * Math.PI) / 180;
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((part) => Math.min(1, Math.max(0, part)));
};

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');

const blockOf = (selector: string): string => css.slice(css.indexOf(`${selector} {`)).split('\n}')[0] ?? '';

const luminances = (selector: string): Map<string, number> => {
  const found = new Map<string, number>();
  for (const [, name, l, c, h] of blockOf(selector).matchAll(/--([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\);/g)) {
    const [red = 0, green = 0, blue = 0] = linearRgb(Number(l), Number(c), Number(h));
    found.set(name ?? '', 0.2126 * red + 0.7152 * green + 0.0722 * blue);
  }
  return found;
};

const contrast = (of: Map<string, number>, one: string, other: string): number => {
  const a = of.get(one);
  const b = of.get(other);
  if (a === undefined || b === undefined) throw new Error(`token missing: ${one} or ${other}`);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
};

const grounds = ['page', 'surface', 'sunken', 'overlay'];
const words = ['strong', 'content', 'muted', 'faint', 'accent-text', 'success', 'warning', 'danger', 'info'];
const curves = Array.from(blockOf(':root').matchAll(/--curve-([\w-]+):/g), ([, name = '']) => name);

describe.each([
  ['light', ':root'],
  ['dark', "[data-theme='dark']"],
])('contrast in the %s theme', (_theme, selector) => {
  const tokens = luminances(selector);

  it.each(grounds.flatMap((ground) => words.map((word) => [word, ground] as const)))('%s on %s', (word, ground) => {
    expect(contrast(tokens, word, ground)).toBeGreaterThanOrEqual(4.5);
  });

  it.each([
    ['on-accent', 'accent'],
    ['on-accent', 'accent-hover'],
    ['on-danger', 'danger'],
    ['on-danger', 'danger-hover'],
    ['accent-text', 'accent-soft'],
    ['success', 'success-soft'],
    ['warning', 'warning-soft'],
    ['danger', 'danger-soft'],
    ['info', 'info-soft'],
    ['strong', 'selected'],
    ['muted', 'selected'],
    ['muted', 'hover'],
    ['content', 'hover'],
  ])('%s on %s', (word, ground) => {
    expect(contrast(tokens, word, ground)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(curves)('curve %s and its label on a card', (curve) => {
    expect(contrast(tokens, `curve-${curve}`, 'surface')).toBeGreaterThanOrEqual(4.5);
  });

  it('tokens: the dot of the first crack is yellow', () => {
    const [, lightness, chroma, hue] = /--crack: oklch\(([\d.]+) ([\d.]+) ([\d.]+)\);/.exec(blockOf(selector)) ?? [];
    expect(Number(hue)).toBeGreaterThan(85);
    expect(Number(hue)).toBeLessThan(105);
    expect(Number(chroma)).toBeGreaterThan(0.15);
    expect(Number(lightness)).toBeGreaterThan(0.8);
  });

  it.each(['page', 'surface', 'overlay'])('edges of controls and focus on %s', (ground) => {
    expect(contrast(tokens, 'stroke-control', ground)).toBeGreaterThanOrEqual(3);
    expect(contrast(tokens, 'focus', ground)).toBeGreaterThanOrEqual(3);
  });
});
