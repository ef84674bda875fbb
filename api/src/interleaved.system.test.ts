import type { Lot } from '@roastery/contract/inventory';
import type { ImportFile } from '@roastery/contract/roast-imports';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database, Sql } from './db/sql.ts';
import { hashPassword } from './identity/passwords.ts';
import {
  addBlend,
  addFileToImport,
  addMachine,
  addMap,
  addProfile,
  addRoast,
  addUser,
  exampleMap,
} from './testing/example-data.ts';
import { profileBody } from './testing/example-requests.ts';
import { openTestApi, type OpenedTestApi } from './testing/test-api.ts';
import type { Visitor } from './testing/visitor.ts';

/** Another user's transaction has changed a record but not committed when a request arrives. */
describe('a request during another transaction', () => {
  let opened: OpenedTestApi;
  let admin: Visitor;
  let sql: Database;
  let adminId: string;
  beforeAll(async () => {
    opened = await openTestApi();
    ({ admin } = opened);
    ({ sql } = opened.test.api.context);
    adminId = (await admin.send<{ id: string }>('GET', '/auth/me')).body.id;
  });
  afterAll(() => opened.close());

  const untilWaiting = () =>
    until('a statement that waits for a lock', async () => {
      const [row] = await sql<{ waiting: number }[]>`
        SELECT count(*)::int AS waiting FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (row?.waiting ?? 0) > 0;
    });

  /** Commits the change once a transaction waits for it: that of `request`, or one started by the change itself. */
  const during = async <T>(change: (tx: Sql) => Promise<unknown>, request: () => Promise<T>): Promise<T> => {
    let answer: Promise<T> | undefined;
    await sql.begin(async (tx) => {
      await change(tx);
      answer = request();
      await untilWaiting();
    });
    if (answer === undefined) throw new Error('nothing was asked');
    return answer;
  };

  it('sign-in: the password before a reset starts no session', async () => {
    const account = { full_name: 'Reset', email: 'reset@example.com', password: 'a long phrase that is reset' };
    const { body: user } = await admin.send<{ id: string }>('POST', '/admin/users', account);
    const next = await hashPassword('the phrase after the reset');
    const answer = await during(
      (tx) => tx`UPDATE users SET password_hash = ${next} WHERE id = ${user.id}`,
      () => opened.test.visitor().send('POST', '/auth/login', { email: account.email, password: account.password }),
    );
    expect(answer.status).toBe(401);
    expect(await sql`SELECT 1 FROM sessions WHERE user_id = ${user.id}`).toHaveLength(0);
  });

  it('password: a reset overrides a change by the user at the same moment', async () => {
    const account = { full_name: 'Change', email: 'change@example.com', password: 'a long phrase that is changed' };
    const { body: user } = await admin.send<{ id: string }>('POST', '/admin/users', account);
    const person = await opened.test.signedIn(account.email, account.password);
    const next = await hashPassword('the phrase after the reset');
    const answer = await during(
      (tx) => tx`UPDATE users SET password_hash = ${next} WHERE id = ${user.id}`,
      () =>
        person.send('POST', '/account/password', {
          current_password: account.password,
          new_password: 'a long phrase of their own',
        }),
    );
    expect(answer.status).toBe(401);
    const [stored] = await sql<{ password_hash: string }[]>`SELECT password_hash FROM users WHERE id = ${user.id}`;
    expect(stored?.password_hash).toBe(next);
  });

  it('lot: keeps its price when the roastery names another currency', async () => {
    const body = { lot_number: 'YEN-1', coffee_name: 'Guji', origin: 'Ethiopia', initial_weight: 60, cost_per_kg: 650 };
    const answer = await during(
      (tx) => tx`UPDATE roastery_settings SET currency = 'JPY', currency_digits = 0`,
      () => admin.send<Lot>('POST', '/inventory/lots', body),
    );
    expect([answer.status, answer.body.cost_per_kg]).toEqual([201, 650]);
    const bare = { ...body, lot_number: 'YEN-2', cost_per_kg: null };
    const { body: lot } = await admin.send<Lot>('POST', '/inventory/lots', bare);
    const edited = await during(
      (tx) => tx`UPDATE roastery_settings SET currency = 'USD', currency_digits = 2`,
      () => admin.send<Lot>('PUT', `/inventory/lots/${lot.id}`, body),
    );
    expect([edited.status, edited.body.cost_per_kg]).toEqual([200, 650]);
  });

  it('lot: a weighed stock does not undo a concurrent movement', async () => {
    const body = { lot_number: 'SCALE-1', coffee_name: 'Guji', origin: 'Ethiopia', initial_weight: 60 };
    const { body: lot } = await admin.send<Lot>('POST', '/inventory/lots', body);
    const weigh = () =>
      admin.send('POST', `/inventory/lots/${lot.id}/movements`, { kg: -2, note: 'weighed', stock_before: 60 });
    const answers = await Promise.all([weigh(), weigh()]);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it('roast: is not discarded while a blend is created from it', async () => {
    const [roastId, blendId] = [await addRoast(sql, adminId), await addBlend(sql, adminId)];
    const answer = await during(
      async (tx) => {
        await tx`SELECT 1 FROM roasts WHERE id = ${roastId} FOR NO KEY UPDATE`;
        await tx`
          INSERT INTO blend_components (blend_id, place, roast_id, roast_number, kg) VALUES (${blendId}, 1, ${roastId}, 'PR-2', 3)`;
      },
      () => admin.send('POST', `/roasts/${roastId}/discard`, {}),
    );
    expect(answer.status).toBe(409);
  });

  it('recipe: a roast that is assigned a recipe during its deletion keeps its name', async () => {
    const [roastId, profileId] = [await addRoast(sql, adminId), await addProfile(sql)];
    const answer = await during(
      (tx) => tx`UPDATE roasts SET profile_id = ${profileId} WHERE id = ${roastId}`,
      () => admin.send('DELETE', `/profiles/${profileId}`),
    );
    expect(answer.status).toBe(200);
    const [roast] = await sql`SELECT profile_id, profile_name FROM roasts WHERE id = ${roastId}`;
    expect(roast).toEqual({ profile_id: null, profile_name: 'House blend' });
  });

  it('machines, users and recipes: change while ingest holds their keys for rows that refer to them', async () => {
    const [userId, profileId, mapId] = [await addUser(sql), await addProfile(sql), await addMap(sql, adminId)];
    const machineId = await addMachine(sql, adminId);
    await sql`UPDATE machines SET map_id = ${mapId} WHERE id = ${machineId}`;
    const answers = await sql.begin(async (tx) => {
      // As the foreign keys of recordings and roasts do.
      for (const table of ['machines', 'users', 'profiles']) await tx`SELECT 1 FROM ${tx(table)} FOR KEY SHARE`;
      return Promise.all([
        admin.send('POST', '/admin/board-updates/withdrawals', { boards: 'all' }),
        admin.send('PUT', `/machine-maps/${mapId}`, { map: { ...exampleMap, id: mapId }, rev: 1 }),
        admin.send('POST', `/machines/${machineId}/pairing-ticket`),
        admin.send('POST', `/machines/${machineId}/credential/rotate`, { overlap_hours: 24 }),
        admin.send('PATCH', `/admin/users/${userId}`, { is_active: false }),
        admin.send('PUT', `/profiles/${profileId}`, profileBody),
      ]);
    });
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 200, 200, 200]);
  });

  /** A file of an import that was read; its upload's row is held by `tx`, so that reading it again waits for it. */
  const readAgain = async (tx: Sql, id: string): Promise<void> => {
    await tx`SELECT 1 FROM roast_uploads WHERE id = ${id} FOR UPDATE`;
    await sql`UPDATE roast_import_files SET state = 'waiting', format = NULL, coffee_name = NULL WHERE id = ${id}`;
    await untilWaiting();
  };
  const fileOnceRead = (importId: string, id: string): Promise<ImportFile> =>
    until('the file to be read', async () => {
      const { body } = await admin.send<{ files: ImportFile[] }>('GET', `/roast-imports/${importId}/files`);
      return body.files.find((file) => file.id === id && file.state === 'read');
    });
  const openImport = async () => {
    const { body } = await admin.send<{ id: string }>('POST', '/roast-imports', {});
    return { importId: body.id, fileId: await addFileToImport(sql, adminId, body.id) };
  };

  it('import file: is read with the marks that are chosen during reading', async () => {
    const { importId, fileId } = await openImport();
    const choices = { charge_seconds: 100, drop_seconds: 400 };
    await during(
      async (tx) => {
        await readAgain(tx, fileId);
        await tx`UPDATE roast_uploads SET choices = ${tx.json(choices)} WHERE id = ${fileId}`;
      },
      async () => undefined,
    );
    expect((await fileOnceRead(importId, fileId)).duration_seconds).toBe(300);
  });

  it('import file: keeps corrections made during its first reading', async () => {
    const { importId, fileId } = await openImport();
    await during(
      async (tx) => {
        await readAgain(tx, fileId);
        const corrected = { coffee_name: 'Mine', batch_size_kg: 11 };
        const answer = await admin.send('PUT', `/roast-imports/${importId}/files/${fileId}`, corrected);
        expect(answer.status).toBe(200);
      },
      async () => undefined,
    );
    expect(await fileOnceRead(importId, fileId)).toMatchObject({ coffee_name: 'Mine', batch_size_kg: 11 });
  });

  it('import file: keeps its units and marks after the import has started', async () => {
    const { importId, fileId } = await openImport();
    await sql`UPDATE roast_imports SET state = 'done', finished_at = now() WHERE id = ${importId}`;
    const answer = await admin.send('PUT', `/roasts/uploads/${fileId}`, { temperature_unit: 'F' });
    expect(answer.status).toBe(409);
  });
});
