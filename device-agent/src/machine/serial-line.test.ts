import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@roastery/testing/until';
import { afterEach, describe, expect, it } from 'vitest';
import { createBus, type Bus } from './bus.ts';
import { openLine } from './line-port.ts';

const python = spawnSync('python3', ['-c', 'import pty']).status === 0;

/** A unit at the other end of a pseudo terminal; each register holds its address. Answers come in two pieces. */
const unit = `
import os, pty, sys, time, tty
ours, theirs = pty.openpty()
tty.setraw(ours); tty.setraw(theirs)
os.symlink(os.ttyname(theirs), sys.argv[2])
print('laid', flush=True)
def crc(frame):
    value = 0xffff
    for byte in frame:
        value ^= byte
        for _ in range(8):
            value = (value >> 1) ^ 0xa001 if value & 1 else value >> 1
    return value.to_bytes(2, 'little')
def answer(frame):
    start, count = int.from_bytes(frame[2:4], 'big'), int.from_bytes(frame[4:6], 'big')
    return frame[:2] + bytes([2 * count]) + b''.join((start + i).to_bytes(2, 'big') for i in range(count))
waiting = b''
while True:
    waiting += os.read(ours, 256)
    if sys.argv[1] == 'ascii' and b'\\r\\n' in waiting:
        line, waiting = waiting.split(b'\\r\\n', 1)
        reply = answer(bytes.fromhex(line[1:].decode()))
        reply = b':' + (reply + bytes([-sum(reply) & 0xff])).hex().upper().encode() + b'\\r\\n'
    elif sys.argv[1] == 'rtu' and len(waiting) >= 8:
        reply, waiting = answer(waiting[:8]), waiting[8:]
        reply += crc(reply)
    else:
        continue
    os.write(ours, reply[:4]); time.sleep(0.01); os.write(ours, reply[4:])
`;

let child: ChildProcess | undefined;
let bus: Bus | undefined;
afterEach(() => {
  bus?.close();
  child?.kill('SIGKILL');
});

it('serial line: opens devices only, whatever path a map names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'no-device-'));
  try {
    const file = join(folder, 'file');
    await writeFile(file, 'a secret\n');
    for (const path of [file, folder]) {
      const line = { kind: 'rtu', path, baud: 9600, dataBits: 8, parity: 'none', stopBits: 1 } as const;
      await expect(openLine(line, 1000, { data: () => undefined, closed: () => undefined })).rejects.toThrow(
        `${path} is not a serial port`,
      );
    }
    expect(await readFile(file, 'utf8')).toBe('a secret\n');
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe.skipIf(!python).each(['rtu', 'ascii'] as const)(
  'serial line, Modbus %s (needs python3 for its other end)',
  (kind) => {
    it('reads, and recovers after a silence and an unplugged adapter', async () => {
      // The kernel gives the device's own name to the next pseudo terminal: reads after the end would open another test's.
      const path = join(tmpdir(), `unit-${randomUUID()}`);
      const other = spawn('python3', ['-c', unit, kind, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      child = other;
      await once(other.stdout, 'data');
      const line = { kind, path, baud: 9600, dataBits: 8, parity: 'none', stopBits: 1 } as const;
      const owner = createBus(line, { timeoutMs: 500, quietMs: 150, gapMs: 5 });
      bus = owner;
      const read = (start: number) => owner.read({ unit: 1, table: 'holding', start, count: 3 });
      const untilRead = (start: number) =>
        until('an answer', async () => {
          const answer = await read(start);
          return answer.kind === 'data' && answer.words;
        });
      for (const start of [5, 6, 7]) expect(await untilRead(start)).toEqual([start, start + 1, start + 2]);

      other.kill('SIGSTOP');
      expect((await read(20)).kind).toBe('failed');
      other.kill('SIGCONT');
      // The late answer to 20 must not be accepted for 9.
      expect(await untilRead(9)).toEqual([9, 10, 11]);

      await rm(path);
      const gone = once(other, 'exit');
      other.kill('SIGKILL');
      await gone;
      let failures = 0;
      await until('five attempts', async () => {
        const { kind } = await read(9);
        expect(kind).not.toBe('data');
        if (kind === 'failed') failures += 1;
        return failures >= 5;
      });
    });
  },
);
