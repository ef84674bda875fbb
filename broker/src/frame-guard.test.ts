import { describe, expect, it } from 'vitest';
import { createAllowance } from './allowance.ts';
import { BoundedMap } from './bounded-map.ts';
import { createFrameGuard } from '@roastery/runtime/mqtt-frames';
import { fixedHeader } from './testing/peers.ts';

const limits = { maxBytesBeforeAuthentication: 8_192, maxPacketBytes: 262_144 };
const packet = (type: number, length: number): Buffer =>
  Buffer.concat([fixedHeader(type, length), Buffer.alloc(length)]);

describe('frame guard', () => {
  it('counts packets however their bytes are split', () => {
    const bytes = Buffer.concat([packet(0x10, 60), packet(0xc0, 0), packet(0x30, 5_000), packet(0xc0, 0)]);
    for (const size of [1, 2, 3, 7, 61, 62, 63, 64, 1_000, bytes.length]) {
      const guard = createFrameGuard(limits);
      let packets = 0;
      for (let at = 0; at < bytes.length; at += size) {
        const answer = guard.inspect(bytes.subarray(at, at + size));
        if (typeof answer === 'string') throw new Error(answer);
        packets += answer;
      }
      expect(packets, `cut every ${size} bytes`).toBe(4);
    }
  });

  it('refuses an oversize packet by its header', () => {
    expect(createFrameGuard(limits).inspect(fixedHeader(0x10, 200_000_000))).toBe('too_large');
    expect(createFrameGuard(limits).inspect(fixedHeader(0x10, 8_193))).toBe('too_large');
    expect(createFrameGuard(limits).inspect(fixedHeader(0x10, 8_000))).toBe(1);
  });

  it('limits all bytes before authentication, not only one packet', () => {
    const guard = createFrameGuard(limits);
    expect(guard.inspect(packet(0x10, 5_000))).toBe(1);
    expect(guard.inspect(packet(0x30, 5_000))).toBe('too_large');
  });

  it('allows 256 KB a packet after authentication and no byte more', () => {
    const guard = createFrameGuard(limits);
    guard.inspect(packet(0x10, 60));
    guard.authenticated();
    expect(guard.inspect(packet(0x30, 262_144))).toBe(1);
    expect(guard.inspect(fixedHeader(0x30, 262_145))).toBe('too_large');
  });

  it('refuses a first packet other than CONNECT, and endless lengths', () => {
    expect(createFrameGuard(limits).inspect(Buffer.from('GET / HTTP/1.1\r\n'))).toBe('not_mqtt');
    expect(createFrameGuard(limits).inspect(packet(0x30, 10))).toBe('not_mqtt');
    expect(createFrameGuard(limits).inspect(Buffer.from([0x10, 0x80, 0x80, 0x80, 0x80, 0x80]))).toBe('not_mqtt');
  });
});

describe('allowance', () => {
  it('limits a client to its rate over time and allows a burst', () => {
    let time = 0;
    const allowance = createAllowance(100, 50, 0);
    let spent = 0;
    while (time < 10_000) {
      spent += 10;
      time += allowance.spend(10, time) || 1;
    }
    expect(spent).toBeGreaterThan(1_000);
    expect(spent).toBeLessThanOrEqual(1_000 + 50 + 10);
    time += 60_000;
    expect(allowance.spend(50, time)).toBe(0);
    expect(allowance.spend(10, time)).toBe(100);
  });
});

describe('bounded map', () => {
  it('removes the entry that was written longest ago', () => {
    const map = new BoundedMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 3);
    map.set('c', 4);
    expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([3, undefined, 4, 2]);
  });
});
