import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listDevices } from '@roastery/contract/fleet';
import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { listRoasts } from '@roastery/contract/roasts';
import { realClock } from '@roastery/runtime/clock';
import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { serversOfWorker } from '@roastery/testing/shared-servers';
import { startTestStack } from '@roastery/testing/test-stack';
import { until } from '@roastery/testing/until';
import postgres from 'postgres';
import { expect, it } from 'vitest';

const serial = 'GONE-1';

/** Covers a folder with an empty disk that accepts no writes: its files can't be reached until it is uncovered. */
const cover = (place: string): boolean => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=64k', 'tmpfs', place], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
};
const uncover = (place: string): void => void execFileSync('umount', ['-l', place]);

/** Whether this user may mount. */
const canCover = async (): Promise<boolean> => {
  const place = await mkdtemp(join(tmpdir(), 'roastery-mount-'));
  const isCovered = cover(place);
  if (isCovered) uncover(place);
  await rm(place, { recursive: true, force: true });
  return isCovered;
};

it('journal: a roast whose disk goes and returns is stored as one roast with both parts (root only: mounts)', async (context) => {
  if (!(await canCover())) context.skip('only root may mount');
  const stack = await startTestStack({ servers: serversOfWorker() });
  const journal = join(stack.folder, 'data', 'machines', serial, 'journal');
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
  let isCovered = false;
  try {
    const client = await signIn(stack.url, stack.admin);
    const { auth_token: token } = await registerTestMachine(client, serial);
    const machine = await stack.startMachine({ serial, token, isAutomatic: false, timeFactor: 5 });
    const device = async () => (await client.call(listDevices)).devices.find((one) => one.serial_number === serial);
    const roasts = async () => (await client.call(listRoasts)).roasts;
    const recorded = async () => {
      const [row] = await sql<{ last: string | null }[]>`
        SELECT max(upper(held))::text AS last FROM recordings, committed_now(recordings) AS held`;
      return Number(row?.last ?? 0);
    };
    const moreRecorded = async (entries: number) => {
      const before = await recorded();
      await until(`${entries} more entries`, async () => (await recorded()) >= before + entries);
    };
    await until('the board to read', async () => (await device())?.machine_link === 'ok');
    // Charge and drop each lie between their order and its effect in the portal.
    const chargeOrdered = realClock.monotonic();
    machine.order({ do: 'charge' });
    await until('the roast to begin', async () => (await roasts()).length > 0);
    const chargeSeen = realClock.monotonic();
    await moreRecorded(10);
    isCovered = cover(journal);
    const warned = await until(
      'the portal to warn that the disk accepts no writes',
      async () => {
        const found = await device();
        return found?.warnings.includes('disk_refuses_writes') === true && found;
      },
      { timeoutMs: 60_000 },
    );
    expect(warned.journal?.entries_in_memory).not.toBeNull();
    await moreRecorded(20);
    const dropOrdered = realClock.monotonic();
    machine.order({ do: 'drop' });
    uncover(journal);
    isCovered = false;
    const done = await until(
      'the roast to be completed',
      async () => {
        const [roast] = await roasts();
        return roast?.status === 'completed' && roast;
      },
      { timeoutMs: 60_000 },
    );
    expect(await roasts()).toHaveLength(1);
    const dropSeen = realClock.monotonic();
    const seconds = done.duration_seconds ?? 0;
    expect(seconds, 'elapsed time').toBeGreaterThan((dropOrdered - chargeSeen) / 1000 - 1);
    expect(seconds, 'elapsed time').toBeLessThan((dropSeen - chargeOrdered) / 1000 + 1);
    const recordings = await sql`SELECT id FROM recordings WHERE source = 'agent'`;
    expect(recordings).toHaveLength(1);
    expect(await sql`SELECT epoch FROM continuing_streams`).not.toHaveLength(0);
    // The end of the roast is sent before the entries on the disk that was gone.
    const curve = await until(
      'what lay on the disk to arrive',
      async () => {
        const found = await client.call(getRoastCurveColumns, { params: { id: done.id } });
        return found.gaps.every((gap) => gap.reason !== 'not_arrived') && found;
      },
      { timeoutMs: 60_000 },
    );
    const [first, last] = [curve.time_seconds[0] ?? Infinity, curve.time_seconds.at(-1) ?? 0];
    expect([first <= 1, last >= seconds - 2]).toEqual([true, true]);
    // Every missing reading is in a gap.
    const quarantined = await sql`SELECT reason, convert_from(payload, 'UTF8') AS payload FROM quarantine`;
    const notes = await sql`SELECT event_seq::text, kind, from_seq::text, to_seq::text, reason FROM recording_notes`;
    const seen = JSON.stringify({ gaps: curve.gaps, quarantined, notes });
    const named = curve.gaps.filter(({ reason }) => reason !== 'machine_silent');
    for (const gap of named) expect(['damaged', 'disk_full', 'cap_reached'], seen).toContain(gap.reason);
    const missing = named.reduce((sum, gap) => sum + gap.to_seconds - gap.from_seconds, 0);
    expect(missing, seen).toBeLessThan(5);
    await until('the disk to accept writes', async () => (await device())?.journal?.entries_in_memory === null, {
      timeoutMs: 90_000,
    });
    await machine.stop();
  } finally {
    if (isCovered) uncover(journal);
    await sql.end({ timeout: 1 });
    await stack.close();
  }
}, 300_000);
