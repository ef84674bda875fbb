import { readdirSync, readFileSync } from 'node:fs';
import type { Upload } from '@roastery/contract/imports';
import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { Roast } from '@roastery/contract/roasts';
import { parseAlog } from '@roastery/roasting/artisan/alog';
import { sharedData } from '@roastery/testing/shared-data';
import { createTestDatabase } from '@roastery/testing/test-database';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addLot, addMachine, exampleCsv } from '../../testing/example-data.ts';
import { formatFiles, makeFormatFile } from '../../testing/format-files.ts';
import { fromNow } from '../../testing/present.ts';
import { type OpenedTestApi, openTestApi, startTestApi, testAdmin, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';

const shared = sharedData();
const files = (shared.present ? readdirSync(shared.path('alog')) : [])
  .filter((file) => file.endsWith('.alog'))
  .sort()
  .map((file) => {
    const bytes = new Uint8Array(readFileSync(shared.path('alog', file)));
    return { file, bytes, artisan: parseAlog(Buffer.from(bytes).toString('utf8')) };
  });
const isEmpty = ({ artisan }: (typeof files)[number]) => artisan.beanTempC.every((temp) => temp === null);
const roasts = files.filter((one) => !isEmpty(one));
const whySkipped = shared.title('');
const at = (roast: Roast, kind: string) => roast.marks.find((mark) => mark.kind === kind)?.time_seconds;
const near = (temp: number | null): unknown => (temp === null ? null : expect.closeTo(temp, 3));

describe('files of roasts', () => {
  let opened: OpenedTestApi;
  let test: TestApi;
  let admin: Visitor;
  beforeAll(async () => {
    opened = await openTestApi();
    ({ test, admin } = opened);
  });
  afterAll(() => opened.close());

  const upload = (name: string, bytes: string | Uint8Array<ArrayBuffer>, by = admin) =>
    by.sendFile<Upload & { detail?: string }>(`/roasts/uploads?file_name=${encodeURIComponent(name)}`, bytes);
  const take = (made: Upload, more: object = {}) =>
    admin.send<Roast & { detail?: string }>('POST', `/roasts/uploads/${made.id}/roast`, {
      start_time: made.start_time ?? '2026-11-21T07:40:00.000Z',
      coffee_name: made.coffee_name,
      batch_size_kg: made.batch_size_kg,
      end_weight_kg: made.end_weight_kg,
      ...more,
    });
  const curveOf = async (id: string) =>
    (await admin.send<CurveColumns>('GET', `/roasts/${id}/curve/columns?before=14400&after=14400`)).body;

  it.skipIf(!shared.present)(`without a reading are refused with a reason${whySkipped}`, async () => {
    expect(files).toHaveLength(23);
    expect(files.filter(isEmpty).map(({ file }) => file)).toEqual(['30_21-02-26_1616_charge10sec.alog']);
    for (const { file, bytes } of files.filter(isEmpty)) {
      const { status, body } = await upload(file, bytes);
      expect(status).toBe(422);
      expect(body.detail).toBe('The file has no bean temperature readings, so it contains no roast.');
    }
  });

  it.skipIf(!shared.present).each(roasts)(
    `of real roasters are imported with marks, weights, units and extra channels${whySkipped}: $file`,
    async ({ file, bytes, artisan }) => {
      const { status, body } = await upload(file, bytes);
      expect(status, JSON.stringify(body.detail)).toBe(201);
      expect(body.temperature_unit).toEqual({ value: artisan.recordedIn, source: 'file' });
      expect(body.batch_size_kg).toBe(artisan.greenKg);
      expect(body.end_weight_kg).toBe(artisan.roastedKg);
      const taken = await take(body);
      expect(taken.status, JSON.stringify(taken.body.detail)).toBe(201);
      const roast = taken.body;
      const charge = artisan.marks.find(({ kind }) => kind === 'charge')?.timeSeconds ?? 0;
      const ofFile = roast.marks.filter(({ origin }) => origin === 'person');
      expect(ofFile.map(({ kind }) => kind)).toEqual(artisan.marks.map(({ kind }) => kind));
      for (const [index, mark] of ofFile.entries()) {
        expect(mark.time_seconds).toBeCloseTo((artisan.marks[index]?.timeSeconds ?? 0) - charge, 2);
        expect(mark.temp ?? 0).toBeCloseTo(artisan.marks[index]?.tempC ?? 0, 3);
      }
      const curve = await curveOf(roast.id);
      expect(curve.time_seconds).toHaveLength(artisan.timesSeconds.length);
      expect(curve.channels['bean_temp']).toEqual(artisan.beanTempC.map(near));
      const labels = new Map(body.channels.map(({ label, name }) => [label, name]));
      for (const channel of artisan.channels) {
        const stored = curve.channels[labels.get(channel.name) ?? ''] ?? [];
        const shown = channel.values.filter((value) => value !== null).length;
        expect(stored.filter((value) => value !== null).length, `${file} ${channel.name}`).toBe(shown);
      }
      for (const { text } of artisan.eventNotes) expect(body.notes).toMatch(new RegExp(`\\d:\\d\\d ${text}`));
      expect(roast.machine_id).toBeNull();
      expect(roast.duration_seconds === null).toBe(roast.marks.every(({ kind }) => kind !== 'drop'));
    },
  );

  it('upload: reports its guesses, and accepts another choice', async () => {
    const rows = Array.from({ length: 60 }, (_, k) => `${k * 12_000},${(200 + k * 4).toString()}`);
    const { body } = await upload('x.csv', ['Time,Bean temp', ...rows].join('\n'));
    expect(body.time_unit).toEqual({ value: 'ms', source: 'guess' });
    expect(body.temperature_unit).toEqual({ value: 'F', source: 'guess' });
    expect(body.recorded_seconds).toBe(708);
    expect(body.missing).toMatch(/Set the charge/);
    const refused = await take(body);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringMatching(/^Set the charge/)]);
    const chosen = await admin.send<Upload>('PUT', `/roasts/uploads/${body.id}`, {
      temperature_unit: 'C',
      charge_seconds: 24,
      drop_seconds: 600,
    });
    expect(chosen.body.temperature_unit).toEqual({ value: 'C', source: 'person' });
    expect(chosen.body.missing).toBeNull();
    const taken = await take(body);
    expect(taken.body).toMatchObject({ charge_temp: 208, duration_seconds: 576 });
  });

  it('upload: a time without a zone is of the roastery’s, or of a chosen one, and its day follows', async () => {
    const { sql } = test.api.context;
    const [before] = await sql<{ time_zone: string }[]>`SELECT time_zone FROM roastery_settings`;
    await sql`UPDATE roastery_settings SET time_zone = 'America/Los_Angeles'`;
    try {
      const loring = formatFiles.find(({ format }) => format === 'loring');
      // 6/14/2022 1:10:29 PM in the file.
      const { body } = await upload('loring.csv', loring?.bytes ?? '');
      expect([body.start_time, body.time_zone]).toEqual(['2022-06-14T20:10:29.000Z', 'America/Los_Angeles']);
      const choose = (choices: object) => admin.send<Upload>('PUT', `/roasts/uploads/${body.id}`, choices);
      const tokyo = (await choose({ time_zone: 'Asia/Tokyo' })).body;
      expect([tokyo.start_time, tokyo.time_zone]).toEqual(['2022-06-14T04:10:29.000Z', 'Asia/Tokyo']);
      expect((await choose({ time_zone: 'Mars/Olympus' })).status).toBe(422);
      const taken = (await take(tokyo)).body;
      expect(taken.start_time).toBe('2022-06-14T04:10:29.000Z');
      // The evening before in the roastery.
      const ofDay = async (day: string) =>
        (await admin.send<{ total: number }>('GET', `/roasts?limit=1&from=${day}&to=${day}`)).body.total;
      expect([await ofDay('2022-06-13'), await ofDay('2022-06-14')]).toEqual([1, 0]);
      const ikawa = formatFiles.find(({ format }) => format === 'ikawa');
      const named = await upload('IKAWA 2019-12-07 121826.csv', ikawa?.bytes ?? '');
      expect([named.body.start_time, named.body.time_zone]).toEqual([
        '2019-12-07T20:18:26.000Z',
        'America/Los_Angeles',
      ]);
    } finally {
      await sql`UPDATE roastery_settings SET time_zone = ${before?.time_zone ?? 'UTC'}`;
    }
  });

  it('the original of every format is kept, downloaded as it was, and read again', async () => {
    for (const { name, bytes, format } of formatFiles) {
      const { body } = await upload(name, bytes);
      const start = body.start_time ?? '2026-01-02T03:04:05.000Z';
      const taken = await take(body, { even_if_duplicate: true, start_time: start });
      expect([name, taken.status, taken.body.original_file]).toEqual([name, 201, name]);
      // The number of its file, else one of the roastery's.
      const { source_batch: ofFile, batch_number: ours, is_numbered: isNumbered } = taken.body;
      expect([name, ofFile, ours !== null, isNumbered]).toEqual([
        name,
        body.source_batch,
        ofFile === null,
        ofFile === null,
      ]);
      const { bytes: kept } = await admin.download(`/roasts/${taken.body.id}/original`);
      expect([name, Buffer.compare(kept, bytes)]).toEqual([name, 0]);
      const again = await admin.send<Upload>('POST', `/roasts/${taken.body.id}/original`);
      expect([again.status, again.body.format, again.body.marks]).toEqual([201, format, body.marks]);
      // Itself is no duplicate of it.
      expect([again.body.roast_id, again.body.duplicates.map((one) => one.roast_id)]).toEqual([
        taken.body.id,
        expect.not.arrayContaining([taken.body.id]),
      ]);
    }
  }, 120_000);

  it('the original read again updates its roast, and keeps what people chose and corrected', async () => {
    const { sql } = test.api.context;
    const { id: adminId } = (await admin.send<{ id: string }>('GET', '/auth/me')).body;
    const [machineId, lotId] = [await addMachine(sql, adminId), await addLot(sql)];
    const loring = formatFiles.find(({ format }) => format === 'loring');
    const { body } = await upload('loring - Batch 7.csv', loring?.bytes ?? '');
    const zoned = await admin.send<Upload>('PUT', `/roasts/uploads/${body.id}`, { time_zone: 'Asia/Tokyo' });
    const facts = { machine_id: machineId, lot_id: lotId, coffee_name: 'Named by Ana', even_if_duplicate: true };
    const first = (await take(zoned.body, facts)).body;
    await admin.send('PUT', `/roasts/${first.id}/marks/first_crack`, { time_seconds: 300 });
    await admin.send('DELETE', `/roasts/${first.id}/marks/dry_end`);
    const corrected = (await admin.send<Roast>('GET', `/roasts/${first.id}`)).body;
    const total = async () => (await admin.send<{ total: number }>('GET', '/roasts?limit=1')).body.total;
    const before = await total();
    const recordings = new Set<string>();
    // Twice: what was carried over once stays.
    for (const startTime of [undefined, '2022-06-15T04:10:29.000Z']) {
      const again = (await admin.send<Upload>('POST', `/roasts/${first.id}/original`)).body;
      expect([again.choices.time_zone, again.start_time]).toEqual(['Asia/Tokyo', first.start_time]);
      expect((await take(again, { even_if_duplicate: true })).status).toBe(409);
      const update = () =>
        admin.send<Roast>(
          'PUT',
          `/roasts/uploads/${again.id}/roast`,
          startTime === undefined ? {} : { start_time: startTime },
        );
      const updated = await update();
      expect([updated.status, (await update()).status]).toEqual([200, 404]);
      expect(updated.body).toMatchObject({
        start_time: startTime ?? first.start_time,
        id: first.id,
        machine_id: machineId,
        lot_id: lotId,
        coffee_name: 'Named by Ana',
        source_batch: '7',
        batch_number: null,
        original_file: 'loring - Batch 7.csv',
      });
      expect(at(updated.body, 'first_crack')).toBe(at(corrected, 'first_crack'));
      expect(updated.body.marks.map(({ kind }) => kind)).toEqual(corrected.marks.map(({ kind }) => kind));
      const [row] = await sql<{ recording_id: string }[]>`SELECT recording_id FROM roasts WHERE id = ${first.id}`;
      recordings.add(row?.recording_id ?? '');
    }
    expect([await total(), recordings.size]).toEqual([before, 2]);
    const [audit] = await sql<{ detail: Record<string, unknown> }[]>`
      SELECT detail FROM audit_log WHERE action = 'roast.read_again' AND subject = ${first.id} ORDER BY at DESC LIMIT 1`;
    expect(audit?.detail).toMatchObject({
      from: first.start_time,
      to: '2022-06-15T04:10:29.000Z',
      earlier_duration_seconds: corrected.duration_seconds,
      earlier_recording: [...recordings][0],
    });
  });

  it('upload: refuses the same file and the same curve unless confirmed', async () => {
    const csv = exampleCsv();
    const first = await take((await upload('a.csv', csv)).body);
    expect(first.status).toBe(201);
    const again = (await upload('b.csv', csv)).body;
    expect(again.duplicates).toEqual([expect.objectContaining({ roast_id: first.body.id, same: 'file' })]);
    expect((await take(again)).status).toBe(409);
    const renamed = (await upload('c.csv', csv.replace('time (s)', 'seconds'))).body;
    expect(renamed.duplicates).toEqual([expect.objectContaining({ same: 'curve' })]);
    expect((await take(renamed, { even_if_duplicate: true })).status).toBe(201);
    // The upload is deleted with its roast: a second click creates no second one.
    expect((await take(renamed, { even_if_duplicate: true })).status).toBe(404);
  });

  it('upload: a file that was saved again with another date or number is noted', async () => {
    const artisan = formatFiles.findIndex(({ format }) => format === 'alog');
    const saved = (day: string, number: number) => {
      const { bytes } = makeFormatFile(artisan, { chargedAt: new Date(`${day}T07:00:00Z`), warmerC: 7.7 });
      const text = Buffer.from(bytes).toString('utf8').replace("'roastbatchnr': 42", `'roastbatchnr': ${number}`);
      return new TextEncoder().encode(text);
    };
    expect((await take((await upload('a.alog', saved('2025-03-01', 42))).body)).status).toBe(201);
    const differs = async (bytes: Uint8Array<ArrayBuffer>) =>
      (await upload('b.alog', bytes)).body.duplicates.map((one) => [one.same, one.differs]);
    expect(await differs(saved('2025-03-02', 42))).toEqual([['curve', ['date']]]);
    expect(await differs(saved('2025-03-02', 43))).toEqual([['curve', ['date', 'number']]]);
    expect(await differs(saved('2025-03-01', 42))).toEqual([['file', []]]);
  });

  it('upload: reports no duplicates of another user', async () => {
    const csv = exampleCsv();
    await take((await upload('a.csv', csv)).body);
    const body = { full_name: 'Eve', email: 'eve@example.com', password: 'a long phrase for eve' };
    await admin.send('POST', '/admin/users', body);
    const eve = await test.signedIn(body.email, body.password);
    const hers = await upload('a.csv', csv, eve);
    expect(hers.body.duplicates).toEqual([]);
    expect((await admin.send('GET', `/roasts/uploads/${hers.body.id}`)).status).toBe(404);
  });

  it('deducts the green weight from the lot and returns it with the roast', async () => {
    const lot = await admin.send<{ id: string }>('POST', '/inventory/lots', {
      lot_number: 'L-1',
      coffee_name: 'Guji',
      origin: 'Ethiopia',
      initial_weight: 60,
    });
    const weight = async () =>
      (await admin.send<{ current_weight: number }>('GET', `/inventory/lots/${lot.body.id}`)).body.current_weight;
    const taken = await take((await upload('a.csv', exampleCsv())).body, { lot_id: lot.body.id, batch_size_kg: 12.5 });
    expect(taken.body).toMatchObject({ coffee_name: 'Guji', coffee_origin: 'Ethiopia' });
    expect(await weight()).toBe(47.5);
    await admin.send('DELETE', `/roasts/${taken.body.id}`);
    expect(await weight()).toBe(60);
  });

  it('are refused with more roasted than green weight', async () => {
    const made = (await upload('a.csv', exampleCsv())).body;
    expect(await take(made, { batch_size_kg: 12, end_weight_kg: 12.5 })).toMatchObject({
      status: 422,
      body: { detail: [{ field: 'end_weight_kg', message: 'Roasted weight can’t be more than the batch' }] },
    });
    expect((await take(made, { batch_size_kg: 12, end_weight_kg: 10.4 })).status).toBe(201);
  });

  it('upload: refuses other files with a reason', async () => {
    const bomb = zipSync({ 'xl/workbook.xml': new Uint8Array(80 * 1024 * 1024) }, { level: 9 });
    const said = async (bytes: string | Uint8Array<ArrayBuffer>) => {
      const { status, body } = await upload('x', bytes);
      return [status, body.detail];
    };
    expect(bomb.length).toBeLessThan(200_000);
    expect(await said('')).toEqual([422, 'The file is empty.']);
    expect(await said(new Uint8Array(bomb))).toEqual([422, 'The workbook is larger than 40 MB when unpacked.']);
    expect(await said('PK\u0003\u0004 not a zip')).toEqual([422, expect.stringMatching(/not a workbook/)]);
    expect(await said("{'timex': [1, 2")).toEqual([422, expect.stringMatching(/damaged/)]);
    expect(await said("{'title': 'x'}")).toEqual([422, expect.stringMatching(/not an Artisan roast/)]);
    expect(await said('a,b,c\n1,2,3\n')).toEqual([422, expect.stringMatching(/No table of readings/)]);
    expect(await said(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1]))).toEqual([
      422,
      expect.stringMatching(/can’t be read as a roast/),
    ]);
    expect(await said(`Time,BT\n${'1,2\n'.repeat(300_000)}`)).toEqual([422, expect.stringMatching(/200,000 samples/)]);
    expect((await upload('x', new Uint8Array(10 * 1024 * 1024 + 1))).status).toBe(413);
  });
});

const inHours = (hours: number) => new Date(fromNow(hours * 3_600_000)).toISOString();

describe('a roast logged by hand', () => {
  it('has its figures and no curve', async () => {
    const database = await createTestDatabase();
    const test = await startTestApi(database.url);
    try {
      const admin = await test.signedIn(testAdmin.email, testAdmin.password);
      const body = {
        coffee_name: 'Guji',
        start_time: '2026-11-20T07:40:00.000Z',
        duration_seconds: 640,
        first_crack_time: 512,
        first_crack_temp: 198.5,
        charge_temp: 190,
        drop_temp: 212,
        batch_size_kg: 12,
      };
      const logged = await admin.send<Roast>('POST', '/roasts', body);
      expect(logged.status).toBe(201);
      expect(logged.body).toMatchObject({
        status: 'completed',
        development_time_seconds: 128,
        development_time_ratio: 0.2,
        drop_temp: 212,
        channels: [],
      });
      expect(logged.body.marks.map(({ kind, time_seconds: at }) => [kind, at])).toEqual([
        ['charge', 0],
        ['first_crack', 512],
        ['drop', 640],
      ]);
      const late = await admin.send('POST', '/roasts', { ...body, first_crack_time: 700 });
      expect(late.body).toMatchObject({ detail: [{ field: 'first_crack_time' }] });
      const ahead = await admin.send('POST', '/roasts', { ...body, start_time: inHours(25) });
      expect(ahead.status).toBe(422);
      expect(ahead.body).toMatchObject({
        detail: [{ field: 'start_time', message: 'The start is more than a day in the future. Check the date' }],
      });
      expect((await admin.send('POST', '/roasts', { ...body, start_time: inHours(23) })).status).toBe(201);
      const tooHeavy = { detail: [{ field: 'end_weight_kg', message: 'Roasted weight can’t be more than the batch' }] };
      expect(await admin.send('POST', '/roasts', { ...body, end_weight_kg: 12.1 })).toMatchObject({
        status: 422,
        body: tooHeavy,
      });
      // One weight may be edited without the other; a roast without loss is possible, if strange.
      const edit = (change: object) => admin.send('PUT', `/roasts/${logged.body.id}`, change);
      expect(await edit({ end_weight_kg: 12.1 })).toMatchObject({ status: 422, body: tooHeavy });
      expect((await edit({ end_weight_kg: 12 })).status).toBe(200);
      expect(await edit({ batch_size_kg: 11 })).toMatchObject({ status: 422, body: tooHeavy });
      expect((await edit({ batch_size_kg: 11, end_weight_kg: 9.5 })).status).toBe(200);
      expect((await edit({ notes: 'Fine' })).status).toBe(200);
      expect((await edit({ batch_size_kg: null })).status).toBe(200);
      expect((await edit({ end_weight_kg: 99 })).status).toBe(200);
    } finally {
      await test.close();
      await database.drop();
    }
  });
});
