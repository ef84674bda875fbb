import type { Quarantined } from '@roastery/contract/quarantine';
import { uuidV7 } from '@roastery/runtime/uuid';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { describe, expect, it } from 'vitest';
import { systemActor } from '../db/audit.ts';
import type { Database } from '../db/sql.ts';
import { readSamples } from '../recordings/read-samples.ts';
import { messageOf, openMigratedDatabase, registerMachine, roastOn } from '../testing/ingest-fixture.ts';
import { startTestApi, testAdmin } from '../testing/test-api.ts';
import { commitMessages, commitRefusal } from './store-batch.ts';
import type { JournalMessage } from '../recordings/recordings.ts';
import { decodeBatch } from './decode-batch.ts';
import { auditDrops, machineLimits, replayQuarantined, runQuarantineCommand } from './quarantine.ts';
import type { SeqRanges } from '../db/seq-ranges.ts';
import { fromNow } from '../testing/present.ts';

const poison = (serialNumber: string, text: string, receivedAtMs = fromNow(0)): JournalMessage => {
  const payload = Buffer.from(text);
  const topic = `roastery/v1/${serialNumber}/journal`;
  return { topic, serialNumber, payload, receivedAtMs, decoded: decodeBatch(payload) };
};
const kept = (sql: Database) =>
  sql<{ id: string; serial_number: string; times: number; reason: string }[]>`
    SELECT id, serial_number, times, reason FROM quarantine ORDER BY received_at, id`;
const rangesIn = (acknowledgements: readonly { ranges: SeqRanges }[]) => acknowledgements.map(({ ranges }) => ranges);

/** All that was stored, comparable between two databases. */
const all = async (from: Database) => {
  const [recording] = await from<{ id: string; committed: string }[]>`
    SELECT id, committed_now(recordings)::text AS committed FROM recordings`;
  const marks = await from`
    SELECT kind, at_seq, mono_ms, temp, event_seq FROM roast_marks ORDER BY event_seq`;
  const roasts = await from`
    SELECT id, status, charge_mono_ms, drop_mono_ms, charge_temp, drop_temp, duration_seconds FROM roasts`;
  const samples = await readSamples(from, { recordingId: recording?.id ?? '', fromSeq: 0, toSeq: 1e9 });
  return { committed: recording?.committed, marks: [...marks], roasts: [...roasts], samples };
};

describe('quarantine', () => {
  it('keeps a repeated message once, counts the repeats and acknowledges each', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    await registerMachine(sql, 'Q-1');
    const [batch] = (() => {
      const board = createJournalBoard();
      board.sample(0, 1, 2, 3);
      return board.batches();
    })();
    const text = JSON.stringify({ ...batch, boot: 'NO BOOT' });
    // The kept messages are listed in order of arrival.
    const now = fromNow(0);
    const later = now + 1;
    const answers = [
      await commitMessages(sql, [poison('Q-1', text, now), ...[1, 2].map(() => poison('Q-1', 'not JSON', later))]),
      await commitMessages(sql, [poison('Q-1', text, later), poison('Q-1', 'not JSON', later)]),
      // An unknown serial number: refused each time.
      await commitMessages(sql, [poison('Q-0', text, later + 1)]),
      await commitMessages(sql, [poison('Q-0', text, later + 1)]),
    ];
    for (const { acknowledgements } of answers) expect(rangesIn(acknowledgements)).toEqual([[{ start: 0, end: 1 }]]);
    expect((await kept(sql)).map(({ serial_number, times }) => [serial_number, times])).toEqual([
      ['Q-1', 1],
      ['Q-1', 3],
      ['Q-0', 2],
    ]);
  });

  it('drops the oldest messages of a machine above its limit, writes one audit row, and keeps those of other machines', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    for (const serial of ['Q-2', 'Q-3']) await registerMachine(sql, serial);
    const now = fromNow(0);
    await commitMessages(sql, [poison('Q-3', 'the oldest of all', now - 10_000_000)]);
    const many = Array.from({ length: machineLimits.messages + 30 }, (_, n) => poison('Q-2', `bad ${n}`, now + n));
    let dropped = 0;
    for (let from = 0; from < many.length; from += 50)
      dropped += (await commitMessages(sql, many.slice(from, from + 50))).dropped;
    const rows = await kept(sql);
    expect(rows.filter((row) => row.serial_number === 'Q-2')).toHaveLength(machineLimits.messages);
    expect(rows[0]?.serial_number).toBe('Q-3');
    expect(dropped).toBeGreaterThanOrEqual(30);
    expect(await auditDrops(sql)).toBe(1);
    expect(await auditDrops(sql)).toBe(0);
    const audits = await sql`SELECT actor, detail FROM audit_log WHERE action = 'quarantine.dropped'`;
    expect(audits).toEqual([
      { actor: 'system', detail: { serial_number: 'Q-2', messages: dropped, because: 'quarantine full' } },
    ]);
    const large = Array.from({ length: 80 }, (_, n) => poison('Q-3', `${n} ${'x'.repeat(255 * 1024)}`, now + n));
    for (const message of large) await commitMessages(sql, [message]);
    const [size] = await sql<{ bytes: number }[]>`
      SELECT sum(octet_length(payload)) AS bytes FROM quarantine WHERE serial_number = 'Q-3'`;
    expect(size?.bytes).toBeLessThanOrEqual(machineLimits.bytes);
  });

  it('replays a message into the samples, marks and roast that were refused, without duplicates', async () => {
    await using database = await openMigratedDatabase();
    await using twin = await openMigratedDatabase();
    const board = createJournalBoard();
    const roastId = uuidV7();
    roastOn(board, roastId);
    const messages = board.batches(() => 50).map((batch) => messageOf('Q-4', batch));
    const machine = await registerMachine(database.sql, 'Q-4');
    await registerMachine(twin.sql, 'Q-4', machine.owner);
    for (const message of messages) await commitMessages(twin.sql, [message]);
    // Every third batch is refused by this version; one overlaps what is stored.
    const { sql } = database;
    for (const [index, message] of messages.entries()) {
      if (index % 3 === 0) await commitRefusal(sql, message, 'a newer agent wrote it');
      else await commitMessages(sql, [message]);
    }
    const overlapping = board.batches(() => 70, 30)[0];
    if (overlapping === undefined) throw new Error('no batch');
    await commitRefusal(sql, messageOf('Q-4', overlapping), 'a newer agent wrote it');
    const waiting = await kept(sql);
    expect(waiting.length).toBeGreaterThan(4);
    expect((await all(sql)).samples.seq.length).toBeLessThan(720);
    let samples = 0;
    for (const { id } of waiting) samples += (await replayQuarantined(sql, id, systemActor)).samples;
    expect(await all(sql)).toEqual(await all(twin.sql));
    expect(samples).toBeGreaterThan(0);
    expect(await kept(sql)).toEqual([]);
    const [audits] = await sql<{ n: number }[]>`
      SELECT count(*) AS n FROM audit_log WHERE action = 'quarantine.replayed'`;
    expect(audits?.n).toBe(waiting.length);
  });

  it('keeps a message that is refused again, and never stores it for a later machine of the same number', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    const first = await registerMachine(sql, 'Q-5');
    const board = createJournalBoard();
    board.sample(0, 1, 2, 3);
    const [batch] = board.batches();
    if (batch === undefined) throw new Error('no batch');
    await commitRefusal(sql, messageOf('Q-5', batch), 'a newer agent wrote it');
    await commitMessages(sql, [poison('Q-5', 'not JSON')]);
    const [good, bad] = await kept(sql);
    await expect(replayQuarantined(sql, bad?.id ?? '', systemActor)).rejects.toThrow(/refused again \(not JSON/);
    await sql`UPDATE machines SET archived_at = now() WHERE id = ${first.id}`;
    await registerMachine(sql, 'Q-5');
    await expect(replayQuarantined(sql, good?.id ?? '', systemActor)).rejects.toThrow(/an earlier machine/);
    expect(await kept(sql)).toHaveLength(2);
  });

  it('lists and replays on the command line', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    await registerMachine(sql, 'Q-7');
    const board = createJournalBoard();
    for (let n = 0; n < 5; n++) board.sample(n * 1000, 1, 2, 3);
    const [batch] = board.batches();
    if (batch === undefined) throw new Error('no batch');
    await commitRefusal(sql, messageOf('Q-7', batch), 'a newer agent wrote it');
    await commitMessages(sql, [poison('Q-7', 'not JSON')]);
    const run = async (...args: string[]) => {
      const lines: string[] = [];
      const code = await runQuarantineCommand(args, database.url, (line) => lines.push(line));
      return { code, lines };
    };
    expect(await run('list')).toMatchObject({
      code: 0,
      lines: [
        expect.stringMatching(/Q-7 .* not JSON/),
        expect.stringMatching(/Q-7 .* a newer agent wrote it/),
        '2 messages in quarantine',
      ],
    });
    expect((await run('list', '--machine', 'Q-8')).lines).toEqual(['0 messages in quarantine']);
    expect(await run('replay', '--machine', 'Q-7')).toMatchObject({
      code: 1,
      lines: [
        expect.stringMatching(/stored: 5 samples, 0 events/),
        expect.stringMatching(/refused again \(not JSON/),
        '1 stored, 1 left in quarantine',
      ],
    });
    expect((await run('replay')).code).toBe(2);
  });

  it('lists, replays and discards for admins over HTTP', async () => {
    await using database = await openMigratedDatabase();
    const { sql } = database;
    await registerMachine(sql, 'Q-6');
    const board = createJournalBoard();
    for (let n = 0; n < 5; n++) board.sample(n * 1000, 1, 2, 3);
    const [batch] = board.batches();
    if (batch === undefined) throw new Error('no batch');
    await commitRefusal(sql, messageOf('Q-6', batch), 'a newer agent wrote it');
    await commitMessages(sql, [poison('Q-6', 'not JSON')]);
    await using test = await startTestApi(database.url);
    const admin = await test.signedIn(testAdmin.email, testAdmin.password);
    const list = async (q = '') =>
      (await admin.send<{ quarantined: Quarantined[]; total: number }>('GET', `/admin/quarantine?q=${q}`)).body;
    expect((await list()).total).toBe(2);
    const [stored] = (await list('newer')).quarantined;
    expect(stored).toMatchObject({ serial_number: 'Q-6', display_name: 'Roaster', times: 1 });
    const replayed = await admin.send('POST', `/admin/quarantine/${stored?.id}/replay`);
    expect([replayed.status, replayed.body]).toEqual([200, { samples: 5, events: 0 }]);
    const [left] = (await list()).quarantined;
    expect((await admin.send('POST', `/admin/quarantine/${left?.id}/replay`)).status).toBe(409);
    expect((await admin.send('DELETE', `/admin/quarantine/${left?.id}`)).body).toEqual({ discarded: true });
    expect((await list()).total).toBe(0);
  });
});
