import type { Upload } from '@roastery/contract/imports';
import type { Lot } from '@roastery/contract/inventory';
import type { TimesToCheck } from '@roastery/contract/roast-times';
import type { Roast } from '@roastery/contract/roasts';
import type { AuditEntry } from '@roastery/contract/users';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addTimeToCheck } from '../../../testing/example-data.ts';
import { makeFormatFile, formatFiles } from '../../../testing/format-files.ts';
import { type OpenedTestApi, openTestApi } from '../../../testing/test-api.ts';
import type { Visitor } from '../../../testing/visitor.ts';

describe('times of roasts that an earlier version imported', () => {
  let opened: OpenedTestApi;
  let admin: Visitor;
  beforeAll(async () => {
    opened = await openTestApi();
    admin = opened.admin;
    await sql()`UPDATE roastery_settings SET time_zone = 'America/Los_Angeles'`;
  });
  afterAll(() => opened.close());
  const sql = () => opened.test.api.context.sql;

  /** Imports a file of this program as it was before: its clock as UTC. */
  const importedBefore = async (name: string, clock: string, warmerC: number, more: object = {}): Promise<Roast> => {
    const place = formatFiles.findIndex((file) => file.name === name);
    const { bytes } = makeFormatFile(place, { chargedAt: new Date(`${clock}Z`), warmerC });
    const { body } = await admin.sendFile<Upload>(`/roasts/uploads?file_name=${name}`, bytes);
    const read = await admin.send<Upload>('PUT', `/roasts/uploads/${body.id}`, { time_zone: 'UTC' });
    const taken = await admin.send<Roast>('POST', `/roasts/uploads/${body.id}/roast`, {
      start_time: read.body.start_time,
      coffee_name: 'Guji',
      even_if_duplicate: true,
      ...more,
    });
    expect(taken.status).toBe(201);
    await sql()`INSERT INTO times_to_check (recording_id) SELECT recording_id FROM roasts WHERE id = ${taken.body.id}`;
    return taken.body;
  };
  const list = async (query = '') => (await admin.send<TimesToCheck>('GET', `/roast-times?limit=100${query}`)).body;
  const change = (body: object, by = admin) => by.send<{ roasts: number }>('POST', '/roast-times', body);
  const startOf = async (id: string) => (await admin.send<Roast>('GET', `/roasts/${id}`)).body.start_time;
  const rowOf = async (id: string, query = '') => (await list(query)).roasts.find((row) => row.roast_id === id);
  const onDay = async (day: string) =>
    (await admin.send<{ total: number }>('GET', `/roasts?limit=1&from=${day}&to=${day}`)).body.total;

  it('are listed by format with the imported and the corrected time, and shifted, audited and restored', async () => {
    const lot = await admin.send<Lot>('POST', '/inventory/lots', {
      lot_number: 'L-1',
      coffee_name: 'Guji',
      origin: 'Ethiopia',
      initial_weight: 60,
    });
    const green = { lot_id: lot.body.id, batch_size_kg: 5 };
    // 22:00 in Los Angeles, stored as UTC: the day before there.
    const loring = await importedBefore('loring.csv', '2022-06-14T22:00:00', 0, green);
    const kaleido = await importedBefore('kaleido.csv', '2022-01-14T08:00:00', 1);
    const untouched = await importedBefore('kaleido.csv', '2022-03-13T02:30:00', 2);
    const weight = async () => (await admin.send<Lot>('GET', `/inventory/lots/${lot.body.id}`)).body.current_weight;
    expect(await weight()).toBe(55);
    expect((await list()).states).toEqual({ open: 3, shifted: 0, right: 0 });
    expect((await list()).formats).toEqual([
      { format: 'kaleido', roasts: 2 },
      { format: 'loring', roasts: 1 },
    ]);
    expect(await rowOf(loring.id)).toMatchObject({
      format: 'loring',
      file_name: 'loring.csv',
      said_number: expect.stringMatching(/^\d+$/),
      imported_time: '2022-06-14T22:00:00.000Z',
      corrected_time: '2022-06-15T05:00:00.000Z',
    });
    expect(await rowOf(kaleido.id, '&time_zone=Asia/Tokyo')).toMatchObject({
      corrected_time: '2022-01-13T23:00:00.000Z',
    });
    // This time does not occur in Los Angeles: an hour later on the clock.
    expect(await rowOf(untouched.id)).toMatchObject({ corrected_time: '2022-03-13T10:30:00.000Z' });

    expect((await change({ action: 'shift', roast_ids: [loring.id, kaleido.id] })).body).toEqual({ roasts: 2 });
    expect([await startOf(loring.id), await startOf(kaleido.id), await startOf(untouched.id)]).toEqual([
      '2022-06-15T05:00:00.000Z',
      '2022-01-14T16:00:00.000Z',
      '2022-03-13T02:30:00.000Z',
    ]);
    expect((await list()).states).toEqual({ open: 1, shifted: 2, right: 0 });
    expect(await rowOf(loring.id, '&state=shifted')).toMatchObject({
      imported_time: '2022-06-14T22:00:00.000Z',
      corrected_time: '2022-06-15T05:00:00.000Z',
    });
    // It stays on its day, that of the roastery's clock; its marks and its green coffee stay as they were.
    expect(await onDay('2022-06-14')).toBe(1);
    const now = (await admin.send<Roast>('GET', `/roasts/${loring.id}`)).body;
    expect([now.duration_seconds, now.marks]).toEqual([loring.duration_seconds, loring.marks]);
    expect(await weight()).toBe(55);
    const audit = await admin.send<{ entries: AuditEntry[] }>('GET', '/admin/audit?action=roast.time_corrected');
    expect(audit.body.entries.find((entry) => entry.subject === loring.id)?.detail).toEqual({
      from: '2022-06-14T22:00:00.000Z',
      to: '2022-06-15T05:00:00.000Z',
    });
    // A later correction of a mark keeps the corrected time.
    await admin.send('PUT', `/roasts/${loring.id}/marks/first_crack`, { time_seconds: 381 });
    expect(await startOf(loring.id)).toBe('2022-06-15T05:00:00.000Z');

    expect((await change({ action: 'shift' })).body).toEqual({ roasts: 1 });
    expect(await startOf(untouched.id)).toBe('2022-03-13T10:30:00.000Z');
    expect((await change({ action: 'undo' })).body).toEqual({ roasts: 3 });
    expect(await startOf(untouched.id)).toBe('2022-03-13T02:30:00.000Z');
    expect(await startOf(loring.id)).toBe('2022-06-14T22:00:00.000Z');
    expect((await list()).states).toEqual({ open: 3, shifted: 0, right: 0 });
  });

  it('are confirmed by format, and only once', async () => {
    expect((await change({ action: 'confirm', format: 'kaleido' })).body).toEqual({ roasts: 2 });
    expect((await change({ action: 'confirm', format: 'kaleido' })).body).toEqual({ roasts: 0 });
    expect((await list()).states).toEqual({ open: 1, shifted: 0, right: 2 });
    expect((await change({ action: 'undo', state: 'right' })).body).toEqual({ roasts: 2 });
  });

  it('are of no interest where the clock is UTC', async () => {
    expect((await list('&time_zone=UTC')).total).toBe(0);
    expect((await change({ action: 'shift', time_zone: 'UTC' })).body).toEqual({ roasts: 0 });
  });

  it('are shifted by those who may change the roast only', async () => {
    await admin.send('POST', '/admin/users', {
      full_name: 'Eve',
      email: 'eve@example.com',
      password: 'a long phrase for eve',
    });
    const eve = await opened.test.signedIn('eve@example.com', 'a long phrase for eve');
    const [user] = await sql()<{ id: string }[]>`SELECT id FROM users WHERE email = 'eve@example.com'`;
    const own = await addTimeToCheck(sql(), user?.id ?? '');
    const { body } = await eve.send<TimesToCheck>('GET', '/roast-times');
    expect(body.roasts.map((row) => row.roast_id)).toEqual([own]);
    expect((await change({ action: 'shift' }, eve)).body).toEqual({ roasts: 1 });
    expect((await list()).states).toEqual({ open: 3, shifted: 1, right: 0 });
  });
});
