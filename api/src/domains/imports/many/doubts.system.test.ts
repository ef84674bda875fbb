import type { Upload } from '@roastery/contract/imports';
import type { ImportFile, RoastImport } from '@roastery/contract/roast-imports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMachine } from '../../../testing/example-data.ts';
import { type OpenedTestApi, openTestApi } from '../../../testing/test-api.ts';
import type { Visitor } from '../../../testing/visitor.ts';

/** A roast whose times are written in another unit, or whose first crack is at another place. */
const roast = (more: { readonly perSecond?: number; readonly crackAt?: number; readonly warmerC?: number } = {}) => {
  const { perSecond = 1, crackAt = 480, warmerC = 0 } = more;
  const rows = Array.from({ length: 166 }, (_, row) => {
    const second = row * 4;
    const bean = warmerC + (second < 92 ? 200 - (second * 110) / 92 : 90 + ((second - 92) * 122) / 568);
    const event = { 0: 'charge', [crackAt]: 'fcs', 640: 'drop' }[second] ?? '';
    return `${(second * perSecond).toFixed(2)},${bean.toFixed(2)},${event}`;
  });
  return new TextEncoder().encode(['Time (s),BT,Event', ...rows].join('\n'));
};

describe('unlikely roasts in an import of many files', () => {
  let opened: OpenedTestApi;
  let admin: Visitor;
  beforeAll(async () => {
    opened = await openTestApi();
    ({ admin } = opened);
  });
  afterAll(() => opened.close());

  const stateOf = async (id: string) => (await admin.send<RoastImport>('GET', `/roast-imports/${id}`)).body;
  const filesOf = async (id: string) =>
    (await admin.send<{ files: ImportFile[] }>('GET', `/roast-imports/${id}/files`)).body.files;
  const problemsOf = async (id: string) => (await filesOf(id)).map(({ problem }) => problem);
  const untilRead = (id: string) =>
    expect.poll(async () => (await stateOf(id)).waiting, { timeout: 60_000, interval: 300 }).toBe(0);
  const decide = (id: string, problem: string, decision: string) =>
    admin.send<RoastImport>('POST', `/roast-imports/${id}/decisions`, { problem, decision });
  const begin = async (...files: Uint8Array<ArrayBuffer>[]) => {
    const { id } = (await admin.send<RoastImport>('POST', '/roast-imports', {})).body;
    const named = files.map((bytes, place) => ({ name: `2026-06-0${place + 1} 10-00-00 ${place}.csv`, bytes }));
    await admin.sendFiles(`/roast-imports/${id}/files`, named);
    await untilRead(id);
    return id;
  };

  it('are asked by reason, and imported or skipped together', async () => {
    const id = await begin(
      roast(),
      roast({ perSecond: 0.1, warmerC: 1 }),
      roast({ perSecond: 0.1, warmerC: 2 }),
      roast({ crackAt: 240, warmerC: 3 }),
    );
    expect(await problemsOf(id)).toEqual([null, 'duration', 'duration', 'first_crack']);
    expect((await stateOf(id)).ready).toBe(1);
    expect((await filesOf(id))[1]?.remarks.join()).toMatch(/lasts 1:04, less than 2 minutes/);
    expect((await decide(id, 'duration', 'import')).body.ready).toBe(3);
    expect((await decide(id, 'first_crack', 'skip')).body.ready).toBe(3);
    const files = await filesOf(id);
    expect(files.map(({ problem }) => problem)).toEqual([null, 'check', 'check', 'left_out']);
    expect(files[1]?.remarks.join()).toMatch(/less than 2 minutes/);
    expect(files[3]?.remarks[0]).toBe('Skipped: it is not imported.');
    // A later correction asks nothing again.
    const path = `/roast-imports/${id}/files/${files[1]?.id}`;
    expect((await admin.send<ImportFile>('PUT', path, { coffee_name: 'Guji' })).body.problem).toBe('check');
    // Another unit is another roast, and asked again.
    await admin.send('PUT', `/roasts/uploads/${files[2]?.id}`, { time_unit: 'cs' });
    await untilRead(id);
    expect((await filesOf(id))[2]?.problem).toBe('duration');
    expect((await decide(id, 'duration', 'import')).body.ready).toBe(3);
    await admin.send('POST', `/roast-imports/${id}/start`, {});
    await expect.poll(async () => (await stateOf(id)).state, { timeout: 60_000, interval: 300 }).toBe('done');
    expect((await stateOf(id)).imported).toBe(3);
    expect((await decide(id, 'duration', 'import')).status).toBe(409);
  });

  it('are judged by the roasts of their machine once it has five', async () => {
    const { sql } = opened.test.api.context;
    const [me] = await sql<{ id: string }[]>`SELECT id FROM users ORDER BY created_at LIMIT 1`;
    const machineId = await addMachine(sql, me?.id ?? '');
    for (const seconds of [60, 62, 64, 66, 70]) {
      await admin.send('POST', '/roasts', {
        coffee_name: 'Guji',
        machine_id: machineId,
        start_time: '2026-11-20T07:40:00.000Z',
        duration_seconds: seconds,
      });
    }
    const id = await begin(roast({ warmerC: 4 }), roast({ perSecond: 0.1, warmerC: 5 }));
    expect(await problemsOf(id)).toEqual([null, 'duration']);
    await admin.send('PUT', `/roast-imports/${id}`, { machine_id: machineId });
    await untilRead(id);
    const files = await filesOf(id);
    // The short one is dropped before its curve turns, all the same.
    expect(files[0]?.problem).toBe('duration');
    expect(files[0]?.remarks.join()).toMatch(/lasts 10:40; 5 other roasts of this machine last 1:00 to 1:10/);
    expect(files[1]?.problem).toBeNull();
    await admin.send('DELETE', `/roast-imports/${id}`);
  });

  it('a single file says it in its preview', async () => {
    const { body } = await admin.sendFile<Upload>(
      '/roasts/uploads?file_name=a.csv',
      roast({ perSecond: 0.1, warmerC: 6 }),
    );
    expect(body.doubts.join()).toMatch(/less than 2 minutes/);
    expect(body.missing).toBeNull();
    // By the roasts of a machine that a person chooses: its roasts are that short.
    const { sql } = opened.test.api.context;
    const [machine] = await sql<
      { id: string }[]
    >`SELECT machine_id AS id FROM roasts GROUP BY machine_id HAVING count(*) = 5`;
    const judged = await admin.send<Upload>('GET', `/roasts/uploads/${body.id}?machine_id=${machine?.id}`);
    expect(judged.body.doubts).toEqual([]);
    const unknown = '00000000-0000-4000-8000-000000000099';
    expect((await admin.send('GET', `/roasts/uploads/${body.id}?machine_id=${unknown}`)).status).toBe(422);
  });
});
