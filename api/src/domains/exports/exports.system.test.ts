import { once } from 'node:events';
import { apiBasePath } from '@roastery/contract/endpoint';
import type { Upload } from '@roastery/contract/imports';
import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { Roast } from '@roastery/contract/roasts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readyJob } from '../../file-reading/file-job.ts';
import { startSession } from '../../http/sessions.ts';
import { parseCsv } from '../../sheets/csv.ts';
import { readWorkbook } from '../../sheets/read-workbook.ts';
import { addRoast, addUser, exampleCsv } from '../../testing/example-data.ts';
import { describeRoastFile } from '../imports/file-jobs.ts';
import { type OpenedTestApi, openTestApi, type TestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';

const facts = (from: Upload) => ({
  start_time: from.start_time ?? '2026-11-21T07:40:00.000Z',
  coffee_name: from.coffee_name,
  coffee_origin: from.coffee_origin,
  coffee_process: from.coffee_process,
  roasted_by: from.roasted_by,
  roast_number: from.roast_number,
  batch_size_kg: from.batch_size_kg,
  end_weight_kg: from.end_weight_kg,
  color: from.color,
  notes: from.notes,
  even_if_duplicate: true,
});

/** The example with a probe that cools down by 60 °C/min once the beans have left. */
const csvOfFallenBeans = (): string =>
  exampleCsv()
    .split('\n')
    .map((line, index) => {
      const [time, temp, event] = line.split(',');
      return index <= 111 ? line : [time, Number(temp) - (index - 111) * 6.3, event].join(',');
    })
    .join('\n');

/** Rates by their time, without missing ones. */
const byTime = (times: readonly number[], rates: readonly (number | null)[]) =>
  new Map(times.flatMap((time, index) => (rates[index] === null ? [] : [[time, rates[index]]])));

const numbers = (cells: readonly (string | undefined)[]) =>
  cells.map((cell) => (cell === '' || cell === undefined ? null : Number(cell)));

describe('export of a roast', () => {
  let opened: OpenedTestApi;
  let test: TestApi;
  let admin: Visitor;
  beforeAll(async () => {
    opened = await openTestApi();
    ({ test, admin } = opened);
  });
  afterAll(() => opened.close());

  const upload = (name: string, bytes: string | Uint8Array<ArrayBuffer>) =>
    admin.sendFile<Upload & { detail?: string }>(`/roasts/uploads?file_name=${encodeURIComponent(name)}`, bytes);
  const take = async (from: Upload, more: object = {}) => {
    const taken = await admin.send<Roast>('POST', `/roasts/uploads/${from.id}/roast`, { ...facts(from), ...more });
    expect(taken.status, JSON.stringify(taken.body)).toBe(201);
    return taken.body;
  };
  it('CSV: opens in any program, with marks beside the readings', async () => {
    const roast = await take((await upload('a.csv', exampleCsv())).body, {
      coffee_name: 'Guji "A"',
      roast_number: '=1',
    });
    const out = await admin.download(`/roasts/${roast.id}/export/csv`);
    const { records } = parseCsv(Buffer.from(out.bytes).toString('utf8'));
    expect(records[0]?.cells).toEqual([
      'Time (s)',
      'Since charge (s)',
      'Bean temp (°C)',
      'Rate of rise (°C/min)',
      'Event',
    ]);
    expect(records).toHaveLength(121);
    expect(records.map(({ cells }) => cells[4]).filter((text) => text !== '' && text !== 'Event')).toContain(
      'First Crack',
    );
    expect(out.headers.get('content-disposition')).toContain(`filename*=UTF-8''${roast.said_number}%20Guji%20A.csv`);
  });

  it('rate of rise: is the same in CSV, XLSX, page and page with margins, from charge to drop', async () => {
    const roast = await take((await upload('a.csv', csvOfFallenBeans())).body);
    const columns = async (query: string) =>
      (await admin.send<CurveColumns>('GET', `/roasts/${roast.id}/curve/columns${query}`)).body;
    const page = await columns('');
    const expected = byTime(page.time_seconds, page.ror);
    expect(Math.max(...expected.keys())).toBe(roast.duration_seconds);
    expect(expected.get(roast.duration_seconds ?? 0)).toBeCloseTo(15.6, 1);

    const wide = await columns('?before=180&after=180');
    expect(wide.time_seconds.length).toBeGreaterThan(page.time_seconds.length);
    expect(byTime(wide.time_seconds, wide.ror)).toEqual(expected);

    const csv = parseCsv(
      Buffer.from((await admin.download(`/roasts/${roast.id}/export/csv`)).bytes).toString('utf8'),
    ).records.slice(1);
    const csvTimes = csv.map(({ cells }) => Number(cells[1]));
    expect(csvTimes.slice(0, 2)).toEqual([-25, -20]);
    expect(byTime(csvTimes, numbers(csv.map(({ cells }) => cells[3])))).toEqual(expected);

    const sheets = await readWorkbook((await admin.download(`/roasts/${roast.id}/export/xlsx`)).bytes);
    const rows = sheets[1]?.rows.slice(1) ?? [];
    const sheetTimes = rows.map(([time]) => Number(time) - 25);
    expect(
      byTime(
        sheetTimes,
        rows.map((row) => (typeof row[3] === 'number' ? row[3] : null)),
      ),
    ).toEqual(expected);
  });

  it('workbook: keeps a text that begins with = as text', async () => {
    const roast = await take((await upload('a.csv', exampleCsv())).body, { coffee_name: '=HYPERLINK("x")' });
    const out = await admin.download(`/roasts/${roast.id}/export/xlsx`);
    const sheets = await readWorkbook(out.bytes);
    expect(sheets.map(({ name }) => name)).toEqual(['Summary', 'Curve', 'Marks', 'Channels']);
    expect(sheets[0]?.rows.find(([label]) => label === 'Coffee')?.[1]).toBe('=HYPERLINK("x")');
    expect(Buffer.from(out.bytes).includes('<f>')).toBe(false);
    expect(sheets[2]?.rows.map(([name]) => name)).toEqual(expect.arrayContaining(['Charge', 'First Crack', 'Drop']));
  });

  it('answers 404 for another user', async () => {
    const roast = await take((await upload('a.csv', exampleCsv())).body);
    const body = { full_name: 'Eve', email: 'eve@example.com', password: 'a long phrase for eve' };
    await admin.send('POST', '/admin/users', body);
    const eve = await test.signedIn(body.email, body.password);
    for (const format of ['xlsx', 'csv', 'alog', 'pdf']) {
      expect((await eve.download(`/roasts/${roast.id}/export/${format}`)).status, format).toBe(404);
    }
    expect(
      Buffer.from((await eve.download('/roasts/export/csv')).bytes)
        .toString('utf8')
        .trim()
        .split('\n'),
    ).toHaveLength(1);
  });

  it('lists an imported roast with its batch number of this roastery', async () => {
    const roast = await take((await upload('a.csv', exampleCsv())).body, { coffee_origin: 'Rwanda' });
    expect(roast.batch_number).toMatch(/^\d+$/);
    const [sheet] = await readWorkbook((await admin.download('/roasts/export/xlsx?origin=Rwanda')).bytes);
    const [head, listed] = sheet?.rows ?? [];
    expect(listed?.[head?.indexOf('Batch number') ?? -1]).toBe(roast.batch_number);
  });

  it('lists all matching roasts, not one page, in the list’s order', async () => {
    const { sql } = test.api.context;
    const [owner] = await sql<{ id: string }[]>`SELECT id FROM users WHERE is_admin`;
    const some = await addRoast(sql, owner?.id ?? '');
    await sql`
      INSERT INTO roasts (id, owner_id, machine_id, status, start_time, coffee_name, coffee_origin, batch_size_kg, batch_number)
      SELECT gen_random_uuid(), owner_id, machine_id, 'completed', now() - n * interval '1 hour', '=Many', 'Kenya', n,
             give_batch_number(machine_id)
      FROM roasts CROSS JOIN generate_series(1, 1234) AS n WHERE id = ${some}`;
    const query = 'origin=Kenya&sort=-batch_size_kg';
    const csv = parseCsv(Buffer.from((await admin.download(`/roasts/export/csv?${query}`)).bytes).toString('utf8'));
    expect(csv.records).toHaveLength(1235);
    const batch = csv.records[0]?.cells.indexOf('Batch (kg)') ?? -1;
    expect(csv.records.slice(1, 4).map(({ cells }) => cells[batch])).toEqual(['1234', '1233', '1232']);
    const [sheet] = await readWorkbook((await admin.download(`/roasts/export/xlsx?${query}`)).bytes);
    expect(sheet?.rows).toHaveLength(1235);
    expect(sheet?.rows[1]?.slice(0, 5)).toEqual([
      expect.stringMatching(/^\d+$/),
      expect.any(Date),
      expect.stringMatching(/^PR-[0-9a-f]{8}$/),
      'completed',
      '=Many',
    ]);
    expect(new Set(sheet?.rows.slice(1).map(([number]) => number)).size).toBe(1234);
    expect((await admin.download('/roasts/export/csv?limit=5')).status).toBe(200);
  });

  it('files are made by the readers of files: with all places of a person taken, the next one is refused, and pages are not', async () => {
    const roast = await take((await upload('a.csv', exampleCsv())).body);
    const { context } = test.api;
    const [owner] = await context.sql<{ id: string }[]>`SELECT id FROM users WHERE is_admin`;
    const go = new AbortController();
    const given = once(go.signal, 'abort');
    const reading: number[] = [];
    const taken = Array.from({ length: 12 }, (_, place) =>
      context.files.make(owner?.id ?? '', async () => {
        reading.push(place);
        await given;
        return readyJob(describeRoastFile, Buffer.from(exampleCsv()), {});
      }),
    );
    const paths = ['xlsx', 'csv', 'alog', 'pdf'].map((format) => `/roasts/${roast.id}/export/${format}`);
    for (const path of [...paths, '/roasts/export/xlsx']) {
      const refused = await admin.send<{ code: string }>('GET', path);
      expect([path, refused.status, refused.body.code]).toEqual([path, 429, 'too_many_requests']);
      expect(refused.headers.get('retry-after')).toBe('5');
    }
    expect((await admin.send('GET', `/roasts/${roast.id}/curve/columns`)).status).toBe(200);
    // What waits has read nothing yet.
    expect(reading).toEqual([0, 1]);
    go.abort();
    await Promise.all(taken);
    for (const path of paths) expect([path, (await admin.download(path)).status]).toEqual([path, 200]);
  });

  it('twenty people behind one router export at the same moment, and each gets the whole file', async () => {
    const roast = await take((await upload('a.csv', exampleCsv())).body);
    const { sql } = test.api.context;
    const cookies = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const id = await addUser(sql);
        await sql`UPDATE users SET is_admin = true WHERE id = ${id}`;
        return `session=${await startSession(sql, id, { address: null, userAgent: null })}`;
      }),
    );
    const files = await Promise.all(
      cookies.map(async (cookie, place) => {
        const path = `/roasts/${roast.id}/export/${place % 2 === 0 ? 'xlsx' : 'pdf'}`;
        const answer = await fetch(`${test.url}${apiBasePath}${path}`, { headers: { cookie } });
        return [answer.status, (await answer.arrayBuffer()).byteLength > 5000];
      }),
    );
    expect(files).toEqual(cookies.map(() => [200, true]));
    await sql`UPDATE users SET is_admin = false WHERE password_hash = 'none'`;
  });
});
