const pngHeadBytes = 8;
const chunkBytes = { length: 4, type: 4, crc: 4 };
const imageHeadBytes = 13;

const crcTable = Uint32Array.from({ length: 256 }, (_, start) => {
  let value = start;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

const crcOf = (bytes: Uint8Array): number => {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
};

const metresPerInch = 0.0254;

/**
 * A PNG with its print resolution (a `pHYs` chunk after its head): canvases do not add it, and programs then assume 72
 * dpi.
 */
export const withResolution = (png: Uint8Array, dotsPerInch: number): Uint8Array<ArrayBuffer> => {
  const head = pngHeadBytes + chunkBytes.length + chunkBytes.type + imageHeadBytes + chunkBytes.crc;
  const said = new Uint8Array(chunkBytes.length + chunkBytes.type + 9 + chunkBytes.crc);
  const view = new DataView(said.buffer);
  view.setUint32(0, 9);
  said.set(new TextEncoder().encode('pHYs'), 4);
  const dotsPerMetre = Math.round(dotsPerInch / metresPerInch);
  view.setUint32(8, dotsPerMetre);
  view.setUint32(12, dotsPerMetre);
  view.setUint8(16, 1);
  view.setUint32(17, crcOf(said.subarray(4, 17)));
  const out = new Uint8Array(png.length + said.length);
  out.set(png.subarray(0, head));
  out.set(said, head);
  out.set(png.subarray(head), head + said.length);
  return out;
};
