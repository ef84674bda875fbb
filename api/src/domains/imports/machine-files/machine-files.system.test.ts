import { readdirSync, readFileSync } from 'node:fs';
import { createHash, randomUUID } from 'node:crypto';
import { apiBasePath } from '@roastery/contract/endpoint';
import { type MachineFile, machineFilesCheckShape } from '@roastery/contract/machine-files';
import type { RegisteredMachine } from '@roastery/contract/machines';
import type { RecordedCurve } from '@roastery/contract/roast-curves';
import type { Roast } from '@roastery/contract/roasts';
import { parseAlog } from '@roastery/roasting/artisan/alog';
import { artisanFile, drumRoast, type ArtisanRecording } from '@roastery/simulator/artisan/artisan-file';
import { sharedData } from '@roastery/testing/shared-data';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commitMessages } from '../../../ingest/store-batch.ts';
import { messageOf } from '../../../testing/ingest-fixture.ts';
import { fromNow } from '../../../testing/present.ts';
import { type OpenedTestApi, openTestApi } from '../../../testing/test-api.ts';
import { commitBoard, recordBoard, roastState, wholeRoast } from '../../../testing/timeline-fixture.ts';

const shared = sharedData();
const whySkipped = shared.title('');
let opened: OpenedTestApi;
let machine: { id: string; serial: string; token: string };
let registered = 0;
beforeAll(async () => {
  opened = await openTestApi();
});
afterAll(() => opened.close());
beforeEach(async () => {
  registered += 1;
  const form = { display_name: 'Big Drum', machine_type: 'RM30', max_capacity_kg: 30 };
  const made = await opened.admin.send<RegisteredMachine>('POST', '/machines', {
    ...form,
    serial_number: `FILES-${registered}`,
  });
  const id = made.body.id;
  const rotated = await opened.admin.send<{ auth_token: string }>('POST', `/machines/${id}/credential/rotate`, {
    overlap_hours: 0,
  });
  machine = { id, serial: `FILES-${registered}`, token: rotated.body.auth_token };
});

const sql = () => opened.test.api.context.sql;
const sendFile = async (text: string | Uint8Array<ArrayBuffer>, name = 'roast.alog', token = machine.token) => {
  const answer = await fetch(
    `${opened.test.url}${apiBasePath}/devices/me/roast-files?file_name=${encodeURIComponent(name)}`,
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'x-machine-serial': machine.serial,
        'content-type': 'application/octet-stream',
      },
      body: text,
    },
  );
  return { status: answer.status, body: (await answer.json()) as MachineFile & { detail?: string } };
};
const bring = async (roast: ArtisanRecording, name?: string): Promise<MachineFile> => {
  const { status, body } = await sendFile(artisanFile(roast), name);
  expect(status, body.detail).toBe(200);
  return body;
};
/** Signed in as the administrator; fails unless the request succeeds. */
const admin = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const answer = await opened.admin.send<T>(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
};
const roastsOf = async (): Promise<Roast[]> => {
  const rows = await sql()<
    { id: string }[]
  >`SELECT id FROM roasts WHERE machine_id = ${machine.id} ORDER BY start_time`;
  return Promise.all(rows.map(({ id }) => admin<Roast>('GET', `/roasts/${id}`)));
};
const curveOf = async (id: string): Promise<RecordedCurve> =>
  (await opened.admin.send<RecordedCurve>('GET', `/roasts/${id}/curve/columns?before=60&after=60`)).body;
const markAt = (roast: Roast | undefined, kind: string) => roast?.marks.find((mark) => mark.kind === kind);
const hourAgo = () => Math.round(fromNow(-3_600_000) / 1000) * 1000;

/**
 * A board that recorded the roast of `drumRoast` live from START on, with an interruption between two of its seconds.
 */
const recordLive = async (startedAtMs: number, id: string, cut?: readonly [number, number]) => {
  const board = recordBoard(721, wholeRoast(id, 66, 655), { wallOffsetMs: startedAtMs - 5000 });
  const batches = board.journal.batches(() => 1);
  const inCut = (seq: number) => {
    const second = ((board.journal.entries()[seq]?.mono ?? 0) - 5000) / 1000;
    return cut !== undefined && second > cut[0] && second < cut[1];
  };
  await commitMessages(
    sql(),
    batches.filter((batch) => !inCut(batch.seq)).map((batch) => messageOf(machine.serial, batch)),
  );
  return board;
};

const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');
const checkFiles = async (sha256: string[]) => {
  const answer = await fetch(`${opened.test.url}${apiBasePath}/devices/me/roast-files/check`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${machine.token}`,
      'x-machine-serial': machine.serial,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ sha256 }),
  });
  return machineFilesCheckShape.parse(await answer.json());
};

it('file without an epoch: its local time is of the roastery’s zone', async () => {
  const [before] = await sql()<{ time_zone: string }[]>`SELECT time_zone FROM roastery_settings`;
  await sql()`UPDATE roastery_settings SET time_zone = 'Europe/Berlin'`;
  try {
    const text = artisanFile(drumRoast(Date.parse('2025-07-01T22:30:00Z'))).replace(
      /'roastepoch': \d+/,
      "'roastisodate': '2025-07-02', 'roasttime': '00:30:00'",
    );
    expect((await sendFile(text)).body.outcome).toBe('created');
    const [roast] = await roastsOf();
    expect(roast?.start_time.slice(0, 16)).toBe('2025-07-01T22:31');
  } finally {
    await sql()`UPDATE roastery_settings SET time_zone = ${before?.time_zone ?? 'UTC'}`;
  }
});

it('file of an unlikely roast: is kept, and says what is to be checked', async () => {
  expect(await bring(drumRoast(hourAgo(), { dryEnd: 150, firstCrack: 200 }))).toMatchObject({
    outcome: 'created',
    doubts: [expect.stringMatching(/^First crack is at \d+ °C \(\d+ °F\); beans crack between 150 °C/)],
  });
  expect(await bring(drumRoast(hourAgo() - 7_200_000))).not.toHaveProperty('doubts');
});

describe('files after a restore of a backup', () => {
  it('are reported as missing, and recreate their roasts; deleted ones are not missing', async () => {
    const at = hourAgo();
    const { beanTempC } = drumRoast(at);
    const [kept, deleted, lost] = [0, 1, 2].map((n) =>
      drumRoast(at - n * 3_600_000, { uuid: randomUUID(), beanTempC: beanTempC.map((temp) => (temp ?? 0) + n) }),
    );
    if (kept === undefined || deleted === undefined || lost === undefined) throw new Error('no roasts');
    await bring(kept, 'kept.alog');
    const gone = await bring(deleted, 'deleted.alog');
    await admin('DELETE', `/roasts/${gone.roast_id}`);
    const { roast_id: roastId } = await bring(lost, 'lost.alog');
    const all = [kept, deleted, lost].map((roast) => sha256Of(artisanFile(roast)));
    const { owner, missing } = await checkFiles(all);
    expect(missing).toEqual([]);
    // The backup is older than the last file.
    await sql()`DELETE FROM machine_files WHERE roast_id = ${roastId}`;
    await sql()`DELETE FROM roasts WHERE id = ${roastId}`;
    const never = sha256Of('never sent');
    expect(await checkFiles([...all, never])).toEqual({ owner, missing: [all[2], never] });
    expect(await bring(lost, 'lost.alog')).toMatchObject({ outcome: 'created' });
    expect(await roastsOf()).toHaveLength(2);
  });

  it('report another owner after the machine changed its owner', async () => {
    const before = await checkFiles([]);
    const account = { full_name: 'Bo', email: 'bo@example.org', password: 'a phrase that is long' };
    const { id } = await admin<{ id: string }>('POST', '/admin/users', account);
    await sql()`UPDATE machines SET owner_id = ${id} WHERE id = ${machine.id}`;
    expect((await checkFiles([])).owner).not.toBe(before.owner);
  });
});

describe('a file of a roast that was never live', () => {
  it('becomes a roast of its machine with marks, weights, curve and Artisan’s batch number', async () => {
    const at = hourAgo();
    const uuid = randomUUID();
    const taken = await bring(
      drumRoast(at, {
        uuid,
        title: 'Guji',
        greenKg: 12,
        roastedKg: 10.2,
        operator: 'Ada',
        batchPrefix: 'P5-',
        batchNumber: 42,
      }),
    );
    expect(taken.outcome).toBe('created');
    const [roast, ...others] = await roastsOf();
    expect(others).toEqual([]);
    expect(roast).toMatchObject({
      id: taken.roast_id,
      status: 'completed',
      coffee_name: 'Guji',
      roasted_by: 'Ada',
      batch_size_kg: 12,
      end_weight_kg: 10.2,
      source_batch: 'P5-42',
      duration_seconds: 600,
      start_time: new Date(at + 60_000).toISOString(),
    });
    expect(roast?.batch_number).toBeNull();
    expect(markAt(roast, 'first_crack')).toMatchObject({ time_seconds: 480, origin: 'person' });
    expect((await curveOf(roast?.id ?? '')).time_seconds).toHaveLength(361);
    const [audit] =
      await sql()`SELECT actor, detail FROM audit_log WHERE subject = ${taken.roast_id} AND action = 'roast.imported'`;
    expect(audit).toMatchObject({ actor: machine.serial, detail: { file_name: 'roast.alog' } });
  });

  it('is imported with a text that Postgres cannot store', async () => {
    const taken = await bring(drumRoast(hourAgo(), { uuid: randomUUID(), title: 'Gu\u0000ji \ud83d' }));
    expect(taken.outcome).toBe('created');
    const [roast] = await roastsOf();
    expect(roast?.coffee_name).toBe('Gu\uFFFDji \uFFFD');
  });

  it('is converted from °F', async () => {
    await bring(drumRoast(hourAgo(), { unit: 'F' }));
    const [roast] = await roastsOf();
    expect(roast?.charge_temp).toBeCloseTo(200, 1);
  });

  it('takes the waiting plan', async () => {
    await sql()`
      INSERT INTO planned_roasts (id, machine_id, created_by, coffee_name, batch_size_kg, created_at)
      SELECT ${randomUUID()}, ${machine.id}, owner_id, 'Planned coffee', 14, now() - interval '2 hours' FROM machines WHERE id = ${machine.id}`;
    await bring(drumRoast(hourAgo()));
    expect((await roastsOf())[0]).toMatchObject({ coffee_name: 'Planned coffee', batch_size_kg: 14 });
  });

  it.skipIf(!shared.present)(`is read like an upload, for real files${whySkipped}`, async () => {
    const names = readdirSync(shared.path('alog'))
      .filter((name) => name.endsWith('.alog'))
      .slice(0, 6);
    for (const name of names) {
      const bytes = new Uint8Array(readFileSync(shared.path('alog', name)));
      const artisan = parseAlog(Buffer.from(bytes).toString('utf8'));
      const { status, body } = await sendFile(bytes, name);
      expect(status, body.detail).toBe(200);
      const { body: roast } = await opened.admin.send<Roast>('GET', `/roasts/${body.roast_id}`);
      const charge = artisan.marks.find(({ kind }) => kind === 'charge')?.timeSeconds ?? 0;
      expect(Date.parse(roast.start_time)).toBeCloseTo(Date.parse(artisan.roastedAt ?? '') + charge * 1000, -1);
      for (const { kind, timeSeconds } of artisan.marks)
        expect(markAt(roast, kind)?.time_seconds).toBeCloseTo(timeSeconds - charge, 2);
    }
    expect(await roastsOf()).toHaveLength(names.length);
  });
});

describe('a file that is sent again', () => {
  it('changes nothing with the same content, under any name', async () => {
    const roast = drumRoast(hourAgo(), { uuid: randomUUID() });
    const first = await bring(roast);
    expect(await bring(roast)).toEqual({ outcome: 'known', roast_id: first.roast_id });
    expect(await bring(roast, 'renamed.alog')).toEqual({ outcome: 'known', roast_id: first.roast_id });
    const many = await Promise.all(Array.from({ length: 4 }, () => bring(roast)));
    expect(new Set(many.map(({ roast_id: id }) => id))).toEqual(new Set([first.roast_id]));
    expect(await roastsOf()).toHaveLength(1);
  });

  it('sent concurrently several times creates one roast', async () => {
    const roast = drumRoast(hourAgo(), { uuid: randomUUID() });
    const all = await Promise.all(Array.from({ length: 4 }, () => bring(roast)));
    expect(all.map(({ outcome }) => outcome).sort()).toEqual(['created', 'known', 'known', 'known']);
    expect(await roastsOf()).toHaveLength(1);
  });

  it('edited in Artisan updates the marks and facts that no user changed in the portal', async () => {
    const at = hourAgo();
    const uuid = randomUUID();
    const facts = { uuid, title: 'Guji', greenKg: 12, roastedKg: 10.2 };
    const first = await bring(drumRoast(at, facts));
    const path = `/roasts/${first.roast_id}`;
    await admin('PUT', path, { batch_size_kg: 12.5, notes: 'Sweet' });
    await admin('PUT', `${path}/marks/dry_end`, { time_seconds: 250 });
    const edited = {
      ...drumRoast(at, { ...facts, title: 'Guji natural', greenKg: 11, roastedKg: 10, notes: 'Dull' }),
      firstCrack: 520,
    };
    expect(await bring(edited)).toEqual({ outcome: 'updated', roast_id: first.roast_id });
    const [roast, ...others] = await roastsOf();
    expect(others).toEqual([]);
    expect(roast).toMatchObject({
      coffee_name: 'Guji natural',
      batch_size_kg: 12.5,
      end_weight_kg: 10,
      notes: 'Sweet',
    });
    expect(markAt(roast, 'first_crack')?.time_seconds).toBe(460);
    expect(markAt(roast, 'dry_end')?.time_seconds).toBe(250);
    const [audit] =
      await sql()`SELECT detail FROM audit_log WHERE subject = ${first.roast_id} AND action = 'roast.file_updated'`;
    expect(audit).toMatchObject({ detail: { fields: ['coffee_name', 'end_weight_kg'] } });
  });

  it('saved at the drop and again, longer, after cooling is one roast with the whole curve', async () => {
    const whole = drumRoast(hourAgo(), { uuid: randomUUID() });
    const upTo = 331;
    const atDrop = {
      ...whole,
      seconds: whole.seconds.slice(0, upTo),
      beanTempC: whole.beanTempC.slice(0, upTo),
      exhaustTempC: whole.exhaustTempC.slice(0, upTo),
    };
    const first = await bring(atDrop);
    expect(await bring(whole)).toEqual({ outcome: 'updated', roast_id: first.roast_id });
    expect(await roastsOf()).toHaveLength(1);
    expect((await curveOf(first.roast_id ?? '')).time_seconds).toHaveLength(361);
  });

  it('does not restore a deleted roast', async () => {
    const roast = drumRoast(hourAgo(), { uuid: randomUUID() });
    const first = await bring(roast);
    await admin('DELETE', `/roasts/${first.roast_id}`);
    expect(await bring({ ...roast, notes: 'edited' })).toEqual({ outcome: 'deleted', roast_id: null });
    expect(await bring({ ...roast, notes: 'edited again' })).toEqual({ outcome: 'deleted', roast_id: null });
    expect(await roastsOf()).toEqual([]);
  });

  it('that a person imported before belongs to that roast', async () => {
    const text = artisanFile(drumRoast(hourAgo(), { uuid: randomUUID() }));
    const upload = await opened.admin.sendFile<{ id: string; start_time: string }>(
      '/roasts/uploads?file_name=a.alog',
      text,
    );
    const byHand = await admin<Roast>('POST', `/roasts/uploads/${upload.body.id}/roast`, {
      start_time: upload.body.start_time,
      machine_id: machine.id,
      even_if_duplicate: true,
    });
    expect((await sendFile(text)).body).toEqual({ outcome: 'known', roast_id: byHand.id });
    expect(await roastsOf()).toHaveLength(1);
  });
});

describe('a roast that was recorded live and has a file', () => {
  it('is one roast despite an interruption: its row stays, with the curve and marks of the file', async () => {
    const at = hourAgo();
    const id = randomUUID();
    await recordLive(at, id, [200, 400]);
    const [live] = await roastsOf();
    expect(live).toMatchObject({ id, status: 'completed', duration_seconds: 589 });
    expect((await curveOf(id)).time_seconds.length).toBeLessThan(600);
    await admin('PUT', `/roasts/${id}`, { batch_size_kg: 13, roasted_by: 'Grace' });
    await admin('PUT', `/roasts/${id}/marks/dry_end`, { time_seconds: 114 });
    const taken = await bring(
      drumRoast(at, { title: 'Guji', greenKg: 12, roastedKg: 10.2, operator: 'Ada', batchPrefix: '', batchNumber: 7 }),
    );
    expect(taken).toEqual({ outcome: 'joined', roast_id: id });
    const [roast, ...others] = await roastsOf();
    expect(others).toEqual([]);
    expect(roast).toMatchObject({
      id,
      batch_number: live?.batch_number,
      start_time: new Date(at + 60_000).toISOString(),
      duration_seconds: 600,
      coffee_name: 'Guji',
      batch_size_kg: 13,
      end_weight_kg: 10.2,
      roasted_by: 'Grace',
      source_batch: '7',
    });
    expect(markAt(roast, 'first_crack')).toMatchObject({ time_seconds: 480, origin: 'person' });
    // Marks that a person set in the portal keep their time: 66 s + 114 s after START.
    expect(markAt(roast, 'dry_end')?.time_seconds).toBe(120);
    const curve = await curveOf(id);
    expect(curve.time_seconds).toHaveLength(361);
    // The live recording stays.
    const [kept] = await sql()<{ samples: number }[]>`
      SELECT sum(cardinality(k.dt_ms)) AS samples FROM recordings c JOIN recording_chunks k ON k.recording_id = c.id
      WHERE c.machine_id = ${machine.id} AND c.source = 'agent'`;
    expect(kept?.samples).toBeGreaterThan(500);
  });

  it('is not changed by later events of its board, also when they are repeated', async () => {
    const at = hourAgo();
    const id = randomUUID();
    const board = await recordLive(at, id);
    await bring(drumRoast(at));
    const before = await roastsOf();
    board.journal.event(board.monoAt(721), board.mark(id, 'drop', 600));
    board.journal.event(board.monoAt(721), roastState(id, 'aborted'));
    await commitBoard(sql(), machine.serial, board);
    expect(await roastsOf()).toEqual(before);
  });

  it('is one roast when the board’s journal arrives after the file', async () => {
    const at = hourAgo();
    const taken = await bring(drumRoast(at, { title: 'Guji' }));
    await recordLive(at, randomUUID());
    expect((await roastsOf()).map(({ id, duration_seconds: s }) => [id, s])).toEqual([[taken.roast_id, 600]]);
  });

  it('is one roast when its board reported two', async () => {
    const at = hourAgo();
    const [first, second] = [randomUUID(), randomUUID()];
    const board = recordBoard(
      721,
      [
        [70, roastState(first, 'in_progress')],
        [70, (b) => b.mark(first, 'charge', 66)],
        [300, roastState(first, 'aborted')],
        [400, roastState(second, 'in_progress')],
        [400, (b) => b.mark(second, 'charge', 390)],
        [670, (b) => b.mark(second, 'drop', 655)],
        [670, roastState(second, 'completed')],
      ],
      { wallOffsetMs: at - 5000 },
    );
    await commitBoard(sql(), machine.serial, board);
    expect(await roastsOf()).toHaveLength(2);
    expect(await bring(drumRoast(at))).toEqual({ outcome: 'joined', roast_id: first });
    await commitBoard(sql(), machine.serial, board);
    expect((await roastsOf()).map(({ id }) => id)).toEqual([first]);
  });

  it('ends with its file while the board still records it', async () => {
    const at = fromNow(-700_000);
    const id = randomUUID();
    const board = recordBoard(660, [...wholeRoast(id, 66, 900)], { wallOffsetMs: at - 5000 });
    await commitBoard(sql(), machine.serial, board);
    expect((await roastsOf())[0]?.status).toBe('in_progress');
    await bring(drumRoast(at));
    expect((await roastsOf())[0]).toMatchObject({ id, status: 'completed', duration_seconds: 600 });
  });

  it.each(['DELETE', 'discard'])('is not restored by its file after it was removed (%s)', async (how) => {
    const at = hourAgo();
    const id = randomUUID();
    await recordLive(at, id);
    await (how === 'DELETE' ? admin('DELETE', `/roasts/${id}`) : admin('POST', `/roasts/${id}/discard`));
    expect(await bring(drumRoast(at))).toEqual({ outcome: 'deleted', roast_id: null });
    expect(await roastsOf()).toEqual([]);
  });

  it('does not change the roasts before and after it', async () => {
    const at = hourAgo();
    const [before, after] = [randomUUID(), randomUUID()];
    const board = recordBoard(2400, [...wholeRoast(before, 66, 655), ...wholeRoast(after, 1500, 2100)], {
      wallOffsetMs: at - 5000,
    });
    await commitBoard(sql(), machine.serial, board);
    expect(await bring(drumRoast(at + 730_000))).toMatchObject({ outcome: 'created' });
    expect(await roastsOf()).toHaveLength(3);
  });
});

describe('a file without a roast', () => {
  it.each([
    ['text', 'not a file of Artisan at all'],
    ['half of a file', artisanFile(drumRoast(hourAgo())).slice(0, 4000)],
    ['a file without a moment', artisanFile(drumRoast(0))],
    ['a file of next year', artisanFile(drumRoast(fromNow(370 * 86_400_000)))],
    ['another program’s', '{"timex": [0,1,2]}'],
  ])('is refused with a reason: %s', async (_, text) => {
    const { status, body } = await sendFile(text);
    expect(status).toBe(422);
    expect(typeof body.detail).toBe('string');
    expect(await roastsOf()).toEqual([]);
    expect(await sql()`SELECT 1 FROM machine_files WHERE machine_id = ${machine.id}`).toHaveLength(0);
  });

  it('of more than 10 MB, or with another credential, is not read', async () => {
    expect((await sendFile(new Uint8Array(10 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await sendFile(artisanFile(drumRoast(hourAgo())), 'a.alog', 'another-token')).status).toBe(401);
  });
});
