/** CRC-16/MODBUS, low byte first on the line (Modbus over Serial Line V1.02, 6.2.2). */
const crcTable = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  return crc;
});

export const crc16 = (bytes: Buffer): number => {
  let crc = 0xffff;
  for (const byte of bytes) crc = (crc >> 8) ^ (crcTable[(crc ^ byte) & 0xff] ?? 0);
  return crc;
};

/** Length of the check at the end of an RTU frame. */
export const crcBytes = 2;

export const withCrc = (body: Buffer): Buffer => {
  const check = Buffer.alloc(crcBytes);
  check.writeUInt16LE(crc16(body));
  return Buffer.concat([body, check]);
};
