import { crc32 } from 'node:zlib';
import { expect, it } from 'vitest';
import { withResolution } from './png-resolution.ts';

/** One transparent pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

it('adds 300 dpi between header and image data, and changes nothing else', () => {
  const out = Buffer.from(withResolution(pixel, 300));
  const at = out.indexOf('pHYs');
  expect(at).toBe(37);
  expect([out.readUInt32BE(at - 4), out.readUInt32BE(at + 4), out.readUInt32BE(at + 8), out[at + 12]]).toEqual([
    9, 11811, 11811, 1,
  ]);
  expect(out.readUInt32BE(at + 13)).toBe(crc32(out.subarray(at, at + 13)));
  expect(Buffer.concat([out.subarray(0, 33), out.subarray(54)])).toEqual(pixel);
});
