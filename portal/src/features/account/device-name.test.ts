import { expect, it } from 'vitest';
import { deviceName, isHandheld } from './device-name.ts';

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:131.0) Gecko/20100101 Firefox/131.0', 'Firefox on Windows'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0`,
    'Edge on Windows',
  ],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Chrome/130.0.0.0 Safari/537.36`, 'Chrome on macOS'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [`Mozilla/5.0 (Linux; Android 14; Pixel 8) ${webkit} Chrome/130.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  ['curl/8.5.0', 'curl'],
  ['node', 'node'],
  [null, 'Unknown device'],
])('%s is %s', (userAgent, words) => expect(deviceName(userAgent)).toBe(words));

it('distinguishes a phone from a desktop', () => {
  expect(isHandheld('… iPhone …')).toBe(true);
  expect(isHandheld('… Windows …')).toBe(false);
});
