import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { login } from '@roastery/contract/auth';
import { listDevices } from '@roastery/contract/fleet';
import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { listRoasts } from '@roastery/contract/roasts';
import { realClock } from '@roastery/runtime/clock';
import { cutMoments, startCuttingProxy } from '@roastery/testing/cutting-proxy';
import { endpointUrl, registerTestMachine, signIn, type RoasteryClient } from '@roastery/testing/roastery-client';
import { repositoryRoot } from '@roastery/testing/shared-data';
import { startTestStack, type TestStack } from '@roastery/testing/test-stack';
import { until } from '@roastery/testing/until';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readIdentity } from './pairing/env-file.ts';
import { pairBoard } from './pairing/pair-board.ts';

let folder: string;
let stack: TestStack;
let client: RoasteryClient;
let sql: postgres.Sql;
beforeAll(async () => {
  stack = await startTestStack();
  ({ folder } = stack);
  client = await signIn(stack.url, stack.admin);
  sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await stack.close();
});

const pair = (ticket: string, api: string, configDir: string): Promise<void> =>
  pairBoard(
    { ticket: `PAIR-${ticket}`, api, configDir, agentVersion: '0.1.0', retryLimits: { minMs: 20, maxMs: 20 } },
    () => undefined,
  );
/** There is exactly one valid credential, the one on the board's disk; the token shown at registration is invalid. */
const expectOneCredential = async (machineId: string, configDir: string): Promise<void> => {
  const token = (await readIdentity(join(configDir, 'agent.env')))?.MACHINE_TOKEN ?? '';
  const standing = await sql<{ hash: string }[]>`
    SELECT encode(token_hash, 'hex') AS hash FROM machine_credentials
    WHERE machine_id = ${machineId} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;
  expect(standing).toEqual([{ hash: createHash('sha256').update(token).digest('hex') }]);
};

describe('exchange of a ticket over a connection that breaks', () => {
  const exchange = ['POST /api/v1/devices/pair', 'GET /api/v1/devices/me'] as const;
  const steps = exchange.flatMap((of) => cutMoments.map((moment) => ({ of, moment })));
  let registered = 0;

  const newTicket = async () => {
    registered += 1;
    const machine = await registerTestMachine(client, `PAIR-${registered}`);
    // The server accepts five attempts a minute from one address, and all of these come from here.
    await sql`DELETE FROM sign_in_limits`;
    return machine;
  };
  it.each(steps)('cut $moment of $of: the ticket is not used up and there is one credential', async (cut) => {
    const machine = await newTicket();
    const configDir = join(folder, machine.serial_number);
    await using proxy = await startCuttingProxy(stack.ports.http);
    proxy.plan(cut);
    await pair(machine.pairing_code, proxy.url, configDir);
    expect(proxy.cuts()).toBe(1);
    await expectOneCredential(machine.id, configDir);
  });

  it.each(cutMoments)('cut %s every time: repeating the command later pairs the same board', async (moment) => {
    const machine = await newTicket();
    const configDir = join(folder, machine.serial_number);
    await using proxy = await startCuttingProxy(stack.ports.http);
    for (let attempt = 0; attempt < 4; attempt++) proxy.plan({ of: exchange[0], moment });
    await expect(pair(machine.pairing_code, proxy.url, configDir)).rejects.toThrow(/run the same command again/);
    await sql`DELETE FROM sign_in_limits`;
    await pair(machine.pairing_code, proxy.url, configDir);
    await expectOneCredential(machine.id, configDir);
  });
});

const faketime = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu']
  .map((place) => join(place, 'faketime', 'libfaketime.so.1'))
  .find((library) => existsSync(library));
const hourMs = 3_600_000;

/** Ways to make a board's wall clock jump; `text` is the content of its file for an offset. */
const clocks = [
  {
    how: 'by a replaced wall clock',
    possible: true,
    text: (ms: number) => String(ms),
    environment: (file: string): Record<string, string> => {
      const clock = pathToFileURL(join(repositoryRoot(), 'packages', 'testing', 'bin', 'jumping-clock.mjs'));
      clock.searchParams.set('file', file);
      return { NODE_OPTIONS: `--import=${clock.href}` };
    },
  },
  {
    how: 'by libfaketime',
    possible: faketime !== undefined,
    text: (ms: number) => `${ms < 0 ? '-' : '+'}${Math.abs(ms) / 1000}s`,
    environment: (file: string): Record<string, string> => ({
      LD_PRELOAD: faketime ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
    }),
  },
];

describe('a clock jump in the middle of a roast', () => {
  it.for(clocks)('$how', { timeout: 120_000 }, async ({ possible, how, text, environment }, context) => {
    if (!possible) context.skip('Debian has libfaketime as faketime; it is not installed here');
    const serial = `CLOCK-${how.length}`;
    const { auth_token: token, id } = await registerTestMachine(client, serial);
    const file = join(folder, `${serial}.offset`);
    const jump = (ms: number): Promise<void> => writeFile(file, text(ms));
    await jump(0);
    const machine = await stack.startMachine({
      serial,
      token,
      timeFactor: 20,
      isAutomatic: false,
      agentEnvironment: environment(file),
    });
    const roast = async () =>
      (await client.call(listRoasts)).roasts.find(({ machine_name: name }) => name === `Machine ${serial}`);
    await until('the board to be heard', async () => {
      const { devices } = await client.call(listDevices);
      return devices.some((device) => device.serial_number === serial && device.machine_link === 'ok');
    });
    const recorded = async () => {
      const [row] = await sql<{ last: string | null }[]>`
        SELECT upper(held)::text AS last FROM recordings, committed_now(recordings) AS held WHERE machine_id = ${id}`;
      return Number(row?.last ?? 0);
    };
    const moreRecorded = async (entries: number) => {
      const before = await recorded();
      await until(`${entries} more entries`, async () => (await recorded()) >= before + entries);
    };
    // Charge and drop each lie between their order and its effect in the portal.
    const chargeOrdered = { mono: realClock.monotonic(), wall: realClock.now() };
    machine.order({ do: 'charge' });
    await until('the roast to begin', roast);
    const chargeSeen = { mono: realClock.monotonic(), wall: realClock.now() };
    // The last one remains: its check that found the clock synchronised was before the jump.
    for (const ms of [hourMs, 400 * 24 * hourMs, 0, -hourMs]) {
      await jump(ms);
      await moreRecorded(8);
    }
    const dropOrdered = realClock.monotonic();
    machine.order({ do: 'drop' });
    const done = await until(
      'the roast to end',
      async () => {
        const found = await roast();
        return found?.status === 'completed' && found;
      },
      { timeoutMs: 60_000 },
    );
    const dropSeen = realClock.monotonic();
    expect(done.duration_seconds, 'elapsed time').toBeGreaterThan((dropOrdered - chargeSeen.mono) / 1000 - 1);
    expect(done.duration_seconds, 'elapsed time').toBeLessThan((dropSeen - chargeOrdered.mono) / 1000 + 1);
    const startedAt = Date.parse(done.start_time);
    expect(startedAt, 'the right day and minute').toBeGreaterThanOrEqual(chargeOrdered.wall - 10_000);
    expect(startedAt, 'the right day and minute').toBeLessThanOrEqual(chargeSeen.wall + 10_000);
    const curve = await client.call(getRoastCurveColumns, { params: { id: done.id } });
    expect(curve.time_seconds.length).toBeGreaterThan(20);
    expect(curve.time_seconds.every((time, index) => time >= 0 && time >= (curve.time_seconds[index - 1] ?? 0))).toBe(
      true,
    );
    // A starved machine may be silent.
    expect(curve.gaps.filter(({ reason }) => reason !== 'machine_silent')).toEqual([]);
    await machine.stop();
  });
});

/** Large enough not to cause a warning by itself. */
const diskMegabytes = 400;
const mountDisk = (place: string): boolean => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m`, 'tmpfs', place], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
};
const fill = async (path: string): Promise<void> => {
  const file = await open(path, 'w');
  const block = Buffer.alloc(4 * 2 ** 20);
  try {
    for (;;) await file.write(block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
};

describe('a full disk of a board', () => {
  it('reads on, warns in the portal, recovers, loses nothing (root only: a small tmpfs)', async (context) => {
    const serial = 'DISK-1';
    const disk = join(folder, 'data', 'machines', serial, 'journal');
    await mkdir(disk, { recursive: true });
    if (!mountDisk(disk)) context.skip('a tmpfs can be mounted by root only');
    try {
      const { auth_token: token, id } = await registerTestMachine(client, serial);
      const machine = await stack.startMachine({ serial, token });
      const device = async () =>
        (await client.call(listDevices)).devices.find(({ serial_number: number }) => number === serial);
      const recorded = async () => {
        const [row] = await sql<{ text: string; last: string | null; count: number }[]>`
          SELECT held::text AS text, upper(held)::text AS last,
            (SELECT count(*)::int FROM unnest(held)) AS count FROM recordings, committed_now(recordings) AS held WHERE machine_id = ${id}`;
        return row;
      };
      await until('the first samples', async () => Number((await recorded())?.last ?? 0) > 20);
      expect((await device())?.warnings).not.toContain('disk');
      const filler = join(disk, 'filler');
      await fill(filler);
      await until('the portal to warn', async () => (await device())?.warnings.includes('disk'), { timeoutMs: 60_000 });
      expect((await device())?.machine_link, 'it goes on reading').toBe('ok');
      const before = Number((await recorded())?.last ?? 0);
      await rm(filler);
      await until('the portal to warn no longer', async () => (await device())?.warnings.includes('disk') === false, {
        timeoutMs: 60_000,
      });
      const all = await until(
        'the readings of that time to arrive',
        async () => {
          const row = await recorded();
          return Number(row?.last ?? 0) > before + 20 && row?.count === 1 && row;
        },
        // The board syncs and sends once a minute between roasts.
        { timeoutMs: 90_000 },
      );
      expect(all.text).toMatch(/^\{\[0,\d+\)\}$/);
      await machine.stop();
    } finally {
      execFileSync('umount', ['-l', disk]);
    }
  }, 180_000);
});

describe('SIGTERM', () => {
  it('completes the request in flight, is not ready from then on, and ends', async () => {
    const api = stack.part('api');
    const before = api.pid;
    const body = JSON.stringify({ email: stack.admin.email, password: stack.admin.password });
    const asking = request(endpointUrl(stack.url, login), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' },
    });
    const answered = once(asking, 'response') as Promise<[IncomingMessage]>;
    // The api has the request, and waits for the rest of it.
    const begun = once(asking, 'continue');
    asking.flushHeaders();
    await begun;
    asking.write(body.slice(0, 20));
    api.kill('SIGTERM');
    await until(
      'not to be ready',
      async () => {
        try {
          return !(await fetch(`${stack.url}/readyz`, { headers: { connection: 'close' } })).ok;
        } catch (error) {
          // The port is closed: a load balancer treats that as not ready.
          if (error instanceof TypeError) return true;
          throw error;
        }
      },
      { everyMs: 20 },
    );
    expect(api.pid, 'it still works on the request').toBe(before);
    asking.end(body.slice(20));
    const [answer] = await answered;
    answer.resume();
    expect(answer.statusCode).toBe(200);
    await until('the api to end', () => api.pid !== before, { timeoutMs: 60_000, everyMs: 20 });
    await stack.untilReady();
    await stack.part('broker').restart();
    await stack.untilReady();
  });
});
