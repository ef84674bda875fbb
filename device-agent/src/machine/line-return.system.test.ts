import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { machineMapShape } from '@roastery/contract/machine-map';
import { until } from '@roastery/testing/until';
import { expect, it } from 'vitest';
import type { Reading } from '../source.ts';
import { startPoller } from './poller.ts';

/** A machine in its own process, so that it can freeze: its sockets stay open without answers. */
const machine = `
const { createServer } = require('node:net');
const server = createServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.on('data', (question) => {
    const count = question.readUInt16BE(10);
    const answer = Buffer.alloc(9 + 2 * count, 0);
    question.copy(answer, 0, 0, 8);
    answer.writeUInt16BE(3 + 2 * count, 4);
    answer[8] = 2 * count;
    answer.writeUInt16BE(2153, 9);
    socket.write(answer);
  });
});
// A short queue: once it is full, the kernel drops every further attempt to connect without a word.
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));
`;

// packages/testing/src/faulty-line/line-return.test.ts measures how soon, in virtual time.
it('reads again after the return of a peer that vanished without closing', async () => {
  const child = spawn(process.execPath, ['-e', machine], { stdio: ['ignore', 'pipe', 'inherit'] });
  const readings: Reading[] = [];
  const said = new Set<string>();
  try {
    const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const map = machineMapShape.parse({
      v: 1,
      id: 'test',
      maker: 'T',
      model: 'T',
      hz: 4,
      link: { kind: 'tcp', host: '127.0.0.1', port: Number(port) },
      channels: { bean_temp: { at: 'h:0', scale: 0.1 } },
    });
    const poller = startPoller({
      map,
      reading: (reading) => void readings.push(reading),
      linkChanged: ({ state, detail }) => void said.add(`${state} ${detail ?? ''}`),
    });
    try {
      await until('readings', () => readings.length >= 5);
      child.kill('SIGSTOP');
      await until('unanswered attempts to connect', () => [...said].some((line) => /did not answer/.test(line)));
      const before = readings.length;
      child.kill('SIGCONT');
      await until('the next reading', () => readings.length > before);
      expect(readings.at(-1)?.values).toEqual([215.3]);
    } finally {
      await poller.stop();
    }
  } finally {
    child.kill('SIGKILL');
  }
});
