import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listRoasts } from '@roastery/contract/roasts';
import { startStack } from '@roastery/stack/stack';
import { launchBrowser, openPage } from '@roastery/testing/browser';
import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { until } from '@roastery/testing/until';
import postgres from 'postgres';
import { expect, it } from 'vitest';
import { keepJournal } from './testing/kept-journal.ts';
import { readStoredSamples } from './testing/stored-recording.ts';

const kills = 40;
const serial = 'KILL-15';

/** The same kills in every run; which moment of the roast they hit still differs. */
const createRandom = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
  return seed / 2 ** 32;
};

/** Postgres keeps four bytes a value: seven digits. */
const isStoredAs = (read: number | null, stored: number | null | undefined): boolean =>
  read === null || stored === null || stored === undefined
    ? read === stored
    : Math.fround(read) === Math.fround(stored);

it(
  `stores every sample and mark of the journal exactly once through ${kills} kills of agent, broker, api and Postgres`,
  { timeout: 360_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'roastery-kills-'));
    const lines: string[] = [];
    const stack = await startStack({
      dataDir: join(folder, 'data'),
      onLine: (name, line) => lines.push(`${name}: ${line}`),
    });
    const sql = postgres(stack.databaseUrl, { max: 1, onnotice: () => undefined });
    try {
      const client = await signIn(stack.url, stack.admin);
      const { auth_token: token } = await registerTestMachine(client, serial);
      const machine = await stack.startMachine({ serial, token, seed: 7 });
      const kept = await keepJournal(join(machine.journalDir, 'journal'), join(folder, 'kept'));
      const roast = await until(
        'a roast to begin',
        async () => (await client.call(listRoasts)).roasts.find(({ status }) => status === 'in_progress'),
        { timeoutMs: 90_000 },
      );

      await using browser = await launchBrowser();
      await using watched = await openPage(browser);
      const [name = '', value = ''] = client.cookie.split('=');
      await watched.page.context().addCookies([{ name, value, url: stack.url }]);
      await watched.page.goto(`${stack.url}/roasts/${roast.id}`);
      const figures = watched.page.getByTestId('live-figures');
      const isLive = async () => (await figures.getAttribute('data-state', { timeout: 2000 })) === 'live';
      await until('the live view to come alive', isLive, { timeoutMs: 20_000 });

      const random = createRandom(42);
      const parts = ['api', 'broker', 'postgres', machine.agent.name].map((part) => stack.part(part));
      const done = new Map<string, number>();
      for (let n = 0; n < kills;) {
        const part = parts[Math.floor(random() * parts.length)];
        await sleep(200 + random() * 1300);
        if (part?.pid === undefined) continue;
        part.kill('SIGKILL');
        done.set(part.name, (done.get(part.name) ?? 0) + 1);
        n += 1;
      }
      expect([...done.values()].reduce((sum, count) => sum + count)).toBe(kills);
      expect(done.size, 'every part was killed').toBe(parts.length);

      await stack.untilReady();
      await until('the live view to recover by itself', isLive, { timeoutMs: 60_000 });

      const journal = await kept.entries();
      const lastSeq = Math.max(...journal.keys());
      const recording = await until(
        'all of the journal to be committed',
        async () => {
          const [row] = await sql<{ id: string; committed: boolean; text: string }[]>`
            SELECT id, committed @> int8range(0, ${lastSeq}, '[]') AS committed, committed::text AS text FROM recordings`;
          return row?.committed === true && row;
        },
        { timeoutMs: 60_000, everyMs: 250 },
      );
      await kept.stop();

      const stored = (await readStoredSamples(sql, recording.id)).filter(({ seq }) => seq <= lastSeq);
      const seqs = stored.map(({ seq }) => seq);
      expect(new Set(seqs).size, 'no sample is stored twice').toBe(seqs.length);
      const inJournal = [...journal.values()].filter((entry) => entry.kind === 'sample').sort((a, b) => a.seq - b.seq);
      expect(inJournal.length).toBeGreaterThan(100);
      expect(seqs, 'the stored sequence is the journal’s').toEqual(inJournal.map(({ seq }) => seq));
      const different = inJournal.filter((entry, index) => {
        const same = stored[index];
        return (
          same?.mono !== entry.mono ||
          entry.context.channels.some(
            (channel, column) => !isStoredAs(entry.values[column] ?? null, same.values[channel]),
          )
        );
      });
      expect(different, 'every value is stored as it was read').toEqual([]);
      const marks = [...journal.values()].filter((entry) => entry.kind === 'event' && entry.event.type === 'mark');
      const storedMarks = await sql<{ event_seq: string }[]>`
        SELECT event_seq FROM roast_marks WHERE recording_id = ${recording.id} AND event_seq <= ${lastSeq} ORDER BY event_seq`;
      expect(storedMarks.map((mark) => Number(mark.event_seq))).toEqual(
        marks.map(({ seq }) => seq).sort((a, b) => a - b),
      );
      const { total } = await client.call(listRoasts);
      const begun = new Set(
        [...journal.values()].flatMap((entry) =>
          entry.kind === 'event' && entry.event.type === 'roast' ? [entry.event.roast_id] : [],
        ),
      );
      expect(total, 'a kill does not split a roast').toBe(begun.size);
    } catch (error) {
      throw new Error(`${String(error)}\nlast lines:\n${lines.slice(-60).join('\n')}`, { cause: error });
    } finally {
      await sql.end({ timeout: 1 });
      await stack.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
