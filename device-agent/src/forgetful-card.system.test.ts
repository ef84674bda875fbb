import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listDevices } from '@roastery/contract/fleet';
import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { serversOfWorker } from '@roastery/testing/shared-servers';
import { startTestStack } from '@roastery/testing/test-stack';
import { until } from '@roastery/testing/until';
import postgres from 'postgres';
import { expect, it } from 'vitest';

const serial = 'FORGETS-1';

it('journal: a roast over a power cut on a card that forgot acknowledged readings stays one roast with its marks', async () => {
  const stack = await startTestStack({ servers: serversOfWorker() });
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
  const readStored = async () => {
    const [row] = await sql<{ id: string; last: number; text: string }[]>`
      SELECT id, coalesce(upper(held), 0)::int AS last, held::text AS text
      FROM recordings, committed_now(recordings) AS held WHERE source = 'agent'`;
    return row ?? { id: '', last: 0, text: '' };
  };
  const readRoasts = () => sql<{ status: string; charge_mono_ms: string | null; drop_seq: string | null }[]>`
    SELECT status, charge_mono_ms, drop_seq FROM roasts`;
  /** Until the server has so many numbers. */
  const stored = (last: number) =>
    until(`${last} numbers to be stored`, async () => (await readStored()).last >= last, { timeoutMs: 60_000 });
  try {
    const client = await signIn(stack.url, stack.admin);
    const { auth_token: token } = await registerTestMachine(client, serial);
    const machine = await stack.startMachine({ serial, token, isAutomatic: false, timeFactor: 5 });
    await until('the board to be heard', async () => {
      const { devices } = await client.call(listDevices);
      return devices.some((device) => device.serial_number === serial && device.connection === 'online');
    });
    await stored(10);
    machine.order({ do: 'charge' });
    await until('the charge to be stored', async () => typeof (await readRoasts())[0]?.charge_mono_ms === 'string', {
      timeoutMs: 60_000,
    });
    const [begun] = await readRoasts();
    const remembered = (await readStored()).last;
    // The card as it will be after the power cut.
    const image = join(stack.folder, 'card');
    machine.agent.kill('SIGSTOP');
    await cp(machine.journalDir, image, { recursive: true });
    machine.agent.kill('SIGCONT');
    await stored(remembered + 20);
    machine.agent.kill('SIGSTOP');
    const before = await readStored();
    await rm(machine.journalDir, { recursive: true });
    await cp(image, machine.journalDir, { recursive: true });
    machine.agent.kill('SIGKILL');

    const [continuing] = await until(
      'the board to continue',
      async () => {
        const rows = await sql<{ from_seq: number }[]>`SELECT from_seq::int FROM continuing_streams`;
        return rows.length > 0 && rows;
      },
      { timeoutMs: 60_000 },
    );
    const fromSeq = continuing?.from_seq ?? 0;
    expect(fromSeq).toBeGreaterThanOrEqual(before.last);
    await stored(fromSeq + 20);
    machine.order({ do: 'drop' });
    const roasts = await until(
      'the roast to be completed',
      async () => {
        const all = await readRoasts();
        return all.some(({ status }) => status === 'completed') && all;
      },
      { timeoutMs: 60_000 },
    );
    expect(roasts).toMatchObject([{ status: 'completed', charge_mono_ms: begun?.charge_mono_ms }]);
    expect(Number(roasts[0]?.drop_seq)).toBeGreaterThan(fromSeq);
    expect(await sql`SELECT id FROM recordings WHERE source = 'agent'`).toHaveLength(1);
    expect(await sql`SELECT reason FROM quarantine`).toHaveLength(0);
    // The gap is what neither the card nor the server has.
    await until('the gap to be stored', async () => {
      const gaps = await sql`SELECT FROM recording_notes WHERE kind = 'gap'`;
      return gaps.length > 0;
    });
    const gaps = await sql`SELECT from_seq::int, to_seq::int FROM recording_notes WHERE kind = 'gap'`;
    const [, ownEnd] = /^\{\[0,(\d+)\)/.exec((await readStored()).text) ?? [];
    expect(Number(ownEnd)).toBeGreaterThanOrEqual(before.last);
    expect([...gaps]).toEqual([{ from_seq: Number(ownEnd), to_seq: fromSeq - 1 }]);
    await machine.stop();
  } finally {
    await sql.end({ timeout: 1 });
    await stack.close();
  }
}, 240_000);
