import type { CurveColumns, Datapoint } from '@roastery/contract/roast-curves';
import { longRoast } from '@roastery/testing/long-roast';
import { expect, it } from 'vitest';
import { commitMessages } from '../../../ingest/store-batch.ts';
import { messageOf, openMigratedDatabase, registerMachine } from '../../../testing/ingest-fixture.ts';
import { startTestApi, testAdmin } from '../../../testing/test-api.ts';
import { unpackRoast } from '../../exports/exported-roast.ts';
import { gatherRoast } from '../../exports/gather-roast.ts';
import { roastCsv } from '../../exports/roast-csv.ts';
import { curveColumns, curveColumnsJson, curveDatapoints, curveDatapointsJson } from './curve-answers.ts';
import { openSamples, type SampleColumns } from '../../../recordings/open-samples.ts';
import { gapsOf, openCurve, wholeCurve } from './roast-curve.ts';

const samples = 14_400;
const anyUser = {
  full_name: 'A',
  email: 'a@b',
  is_active: true,
  created_at: '',
  preferences: {},
  shared: { see: [], roast: [], all: false },
};

const settled = async ({ channels, ...times }: SampleColumns) => ({
  ...times,
  channels: Object.fromEntries(
    await Promise.all(Array.from(channels, async ([name, column]) => [name, await column] as const)),
  ),
});

const joined = async (pieces: AsyncIterable<string> | Iterable<string>): Promise<unknown> => {
  let text = '';
  for await (const piece of pieces) text += piece;
  return JSON.parse(text) as unknown;
};

/** JSON knows no -0. */
const asSent = <T>(answer: T): T => JSON.parse(JSON.stringify(answer)) as T;

it('long curve: sends an hour in pieces with the same content as a short curve in one', async () => {
  await using database = await openMigratedDatabase();
  // Checked responses are assembled first; here they are sent in pieces, as in production.
  await using test = await startTestApi(database.url, { checkAnswers: false });
  const admin = await test.signedIn(testAdmin.email, testAdmin.password);
  const { body: person } = await admin.send<{ id: string }>('GET', '/auth/me');
  await registerMachine(database.sql, 'RM15-1', person.id);
  const { roastId, batches } = longRoast(samples);
  await commitMessages(
    database.sql,
    batches.map((batch) => messageOf('RM15-1', batch)),
  );
  // From the middle on the board has another map: fewer channels, in another order, and a disconnected probe.
  const [recording] = await database.sql<{ id: string; middle: number }[]>`
    SELECT recording_id AS id, max(first_seq) / 2 AS middle FROM recording_chunks GROUP BY 1`;
  const { id: recordingId, middle } = recording ?? { id: '', middle: 0 };
  await database.sql`
    INSERT INTO recording_layouts (recording_id, layout_no, map_id, map_rev, channels)
    VALUES (${recordingId}, 1, 'other', 1, '{exhaust_temp,moisture,bean_temp}')`;
  await database.sql`
    UPDATE recording_chunks SET layout_no = 1, "values" = "values"[1 : 3 * cardinality(dt_ms)]
    WHERE recording_id = ${recordingId} AND first_seq > ${middle}`;
  await database.sql`
    UPDATE recording_chunks SET "values"[2 : 4] = '{NULL,NULL,1.5}' WHERE recording_id = ${recordingId} AND first_seq > ${middle}`;

  const range = { recordingId, fromSeq: 700, toSeq: samples - 700 };
  const atOnce = await settled(await openSamples(database.sql, range, { isLong: false }));
  const byColumn = await settled(await openSamples(database.sql, range, { isLong: true }));
  expect(byColumn).toEqual(atOnce);
  expect(Object.keys(byColumn.channels)).toContain('moisture');
  const bean = await settled(await openSamples(database.sql, range, { isLong: true, only: ['bean_temp'] }));
  expect(bean.channels).toEqual({ bean_temp: atOnce.channels['bean_temp'] });

  const user = { ...anyUser, id: person.id, is_admin: true };
  const open = async () => {
    const opened = await openCurve(database.sql, user, roastId, { before: 0, after: 0 });
    expect(opened?.isLong).toBe(true);
    if (opened === undefined) throw new Error('the roast is not there');
    return opened;
  };
  const curve = await wholeCurve(await open());
  expect(curve.timeSeconds).toHaveLength(samples);
  const columns = await admin.send<CurveColumns>('GET', `/roasts/${roastId}/curve/columns`);
  const gaps = await gapsOf(database.sql, curve);
  expect(columns.body).toEqual(asSent(curveColumns(curve, gaps)));
  expect(await joined(curveColumnsJson(await open(), Promise.resolve(gaps)))).toEqual(columns.body);
  const points = await admin.send<{ datapoints: Datapoint[] }>('GET', `/roasts/${roastId}/curve`);
  expect(points.body.datapoints).toEqual(asSent(curveDatapoints(curve)));
  expect(await joined(curveDatapointsJson(await open()))).toEqual(points.body);
  // A reader of the object form receives its beginning before any channel is read.
  const unread = new Map([['bean_temp', new Promise<never>(() => undefined)]]);
  expect(await curveDatapointsJson({ ...(await open()), channels: unread }).next()).toMatchObject({ done: false });
  // A file has its column names before its lines are created, and is sent completely.
  const [head, ...lines] = roastCsv(unpackRoast(await gatherRoast(database.sql, user, roastId)));
  expect(head?.trimEnd().split('\n')).toEqual([expect.stringMatching(/Bean temp \(°C\).*,Event$/)]);
  expect(lines.join('').trimEnd().split('\n').length).toBeGreaterThanOrEqual(samples);
});
