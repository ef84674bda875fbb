import { t } from '../../language/t.ts';
// The first match counts: Edge and Opera also contain Chrome, Chrome also contains Safari.
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
] as const;

const systems = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

const firstOf = (words: readonly (readonly [RegExp, string])[], text: string): string | undefined =>
  words.find(([pattern]) => pattern.test(text))?.[1];

/** `Firefox on Windows` from a browser's user agent; for an unknown one, its own first words. */
export const deviceName = (userAgent: string | null): string => {
  if (userAgent === null || userAgent.trim() === '') return t`Unknown device`;
  const browser = firstOf(browsers, userAgent);
  const system = firstOf(systems, userAgent);
  if (browser === undefined) return userAgent.slice(0, 60);
  return system === undefined ? browser : t`${browser} on ${system}`;
};

/** A handheld device. */
export const isHandheld = (userAgent: string | null): boolean => /\b(?:iPhone|iPad|Android)\b/.test(userAgent ?? '');
