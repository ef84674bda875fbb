import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { startTestStack } from '@roastery/testing/test-stack';
import { until } from '@roastery/testing/until';
import postgres from 'postgres';
import { expect, it } from 'vitest';

const serial = 'BURNT-1';
const samplesBefore = 60;

it('a server that lost entries gets them again from the board, sample for sample', async () => {
  const stack = await startTestStack();
  const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
  const committed = async () => {
    const [row] = await sql<{ epoch: string; last: string | null; text: string }[]>`
      SELECT epoch, upper(held)::text AS last, held::text AS text FROM recordings, committed_now(recordings) AS held`;
    return row;
  };
  const chunks = () =>
    sql<{ first_seq: string; mono_ms: string; dt_ms: number[]; values: number[] }[]>`
      SELECT first_seq, mono_ms, dt_ms, values FROM recording_chunks
      WHERE recording_id IN (SELECT id FROM recordings) ORDER BY first_seq`;
  const samplesUpTo = async (last: number) =>
    (await chunks()).flatMap(({ first_seq: first, mono_ms: mono, dt_ms: dt, values }) =>
      dt.flatMap((offset, index) =>
        Number(first) + index > last ? [] : [[Number(first) + index, Number(mono) + offset, values[index]]],
      ),
    );
  try {
    const client = await signIn(stack.url, stack.admin);
    const { auth_token: token } = await registerTestMachine(client, serial);
    const machine = await stack.startMachine({ serial, token, hz: 10 });
    const before = await until(
      'samples to be stored',
      async () => {
        const row = await committed();
        return Number(row?.last ?? 0) > samplesBefore && row;
      },
      { timeoutMs: 60_000 },
    );
    const last = Number(before.last) - 1;
    const stored = await samplesUpTo(last);
    expect(stored.length).toBeGreaterThan(samplesBefore / 2);
    stack.part('api').kill('SIGKILL');
    await sql`TRUNCATE recordings CASCADE`;
    // Its record of the streams is lost too.
    await stack.part('api').restart();
    await stack.untilReady();
    // All of it was acknowledged to the board long ago.
    const after = await until(
      'the board to have sent all of it again',
      async () => {
        const row = await committed();
        // Entries that were committed but not acknowledged when the api was killed are sent again after newer ones.
        const [, whole] = /^\{\[0,(\d+)\)/.exec(row?.text ?? '') ?? [];
        return Number(whole ?? 0) > last && row;
      },
      { timeoutMs: 60_000 },
    );
    expect(after.epoch).toBe(before.epoch);
    expect(await samplesUpTo(last)).toEqual(stored);
    await machine.stop();
  } finally {
    await sql.end({ timeout: 1 });
    await stack.close();
  }
}, 180_000);
