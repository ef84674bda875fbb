import { maxPacketBytes } from '@roastery/contract/mqtt';

/**
 * Messages of QoS 0, nearly all of the api's traffic with the broker, without mqtt.js: it parses, dispatches and writes
 * each message separately, which took most of the api's CPU with a fleet's journals and acknowledgements.
 */
export interface Message {
  readonly topic: string;
  readonly payload: string;
}

const lengthBytes = (length: number): number =>
  length < 0x80 ? 1 : length < 0x40_00 ? 2 : length < 0x20_00_00 ? 3 : 4;

/** Messages of QoS 0 as consecutive PUBLISH packets. */
export const publishPackets = (messages: readonly Message[]): Buffer => {
  const sized = messages.map(({ topic, payload }) => {
    const topicBytes = Buffer.byteLength(topic);
    const length = 2 + topicBytes + Buffer.byteLength(payload);
    if (length > maxPacketBytes) throw new Error(`a message of ${length} bytes is too large for the broker: ${topic}`);
    return { topic, payload, topicBytes, length };
  });
  const bytes = Buffer.allocUnsafe(sized.reduce((sum, { length }) => sum + 1 + lengthBytes(length) + length, 0));
  let at = 0;
  for (const { topic, payload, topicBytes, length } of sized) {
    bytes[at++] = 0x30;
    let left = length;
    for (; left >= 0x80; left >>>= 7) bytes[at++] = (left & 0x7f) | 0x80;
    bytes[at++] = left;
    at = bytes.writeUInt16BE(topicBytes, at);
    at += bytes.write(topic, at);
    at += bytes.write(payload, at);
  }
  return bytes;
};
