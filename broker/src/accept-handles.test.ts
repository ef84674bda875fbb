import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { portOf } from '@roastery/runtime/system-errors';
import { untilProcessGone } from '@roastery/testing/until';
import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { addAcceptHandles, copier } from './accept-handles.ts';

/** Turns of the event loop until a server with this many further handles has accepted 64 waiting connections. */
const turnsFor64 = async (further: number): Promise<number> => {
  let accepted = 0;
  const server = createServer(() => {
    accepted += 1;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const added = further === 0 ? [] : await addAcceptHandles(server, further);
  expect(added).toHaveLength(further);
  const clients = Array.from({ length: 64 }, () => connect(portOf(server), '127.0.0.1'));
  let turns = 0;
  for (; accepted < clients.length; turns += 1)
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  for (const client of clients) client.destroy();
  await Promise.all(
    [server, ...added].map(
      (each) =>
        new Promise<void>((resolve) => {
          each.close(() => resolve());
        }),
    ),
  );
  return turns;
};

it('a server with 16 handles accepts 16 connections in a turn of the event loop, with one handle one', async () => {
  expect(await turnsFor64(0)).toBeGreaterThanOrEqual(64);
  expect(await turnsFor64(15)).toBeLessThan(16);
});

it('the process that copies handles ends with a broker that is killed before it has the copies, and leaves the port', async () => {
  const parent = `
    import { spawn } from 'node:child_process';
    import { createServer } from 'node:net';
    const server = createServer().listen(0, '127.0.0.1', () => {
      const child = spawn(process.execPath, ['--eval', process.argv[1]], { stdio: ['pipe', 'ignore', 'ignore', 'ipc'] });
      process.stdout.write(String(child.pid));
      child.once('message', () => process.kill(process.pid, 'SIGKILL'));
      child.send(16, server);
    });`;
  const broker = spawn(process.execPath, ['--input-type=module', '--eval', parent, copier]);
  const ended = once(broker, 'exit');
  const [pid] = (await once(broker.stdout, 'data')) as [Buffer];
  expect(await ended).toEqual([null, 'SIGKILL']);
  await untilProcessGone(Number(pid));
});
