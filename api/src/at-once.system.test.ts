import { endpoints } from '@roastery/contract/endpoints';
import { maxAlarmRules } from '@roastery/contract/alarm-rules';
import { maxOwnMaps } from '@roastery/contract/machine-maps';
import type { PlannedRoast } from '@roastery/contract/planned';
import { maxPushDevices } from '@roastery/contract/push';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from './db/sql.ts';
import { addLotImport, addMachine, addPlan, addProfile } from './testing/example-data.ts';
import { exampleRequests } from './testing/example-requests.ts';
import { openTestApi, testAdmin, type OpenedTestApi } from './testing/test-api.ts';
import type { Visitor } from './testing/visitor.ts';

type Body = Record<string, unknown>;

/** How an endpoint that changes a record handles two concurrent changes. */
type Kept =
  /** A partial update: two changes of different fields are both kept. */
  | { readonly fields: readonly [Body, Body] }
  /** The whole record: of two updates of the same version the second is refused. */
  | { readonly whole: (sql: Sql, params: Record<string, string>) => Promise<Body> }
  /** A single value without merging: the last write wins. */
  | 'one value';

const revision = async () => ({ revision: 1 });

/** Every endpoint that changes a record and answers 200. */
const changes: Readonly<Record<string, Kept>> = {
  updateUser: { fields: [{ full_name: 'Both' }, { is_active: false }] },
  putRoasterySettings: { fields: [{ roastery_name: 'Both' }, { city: 'Kassel' }] },
  updatePreferences: { fields: [{ theme: 'dark' }, { rate_unit: 'per_30_seconds' }] },
  updatePlannedRoast: { fields: [{ coffee_name: 'Both' }, { notes: 'Slowly' }] },
  updateRoast: { fields: [{ coffee_name: 'Both' }, { notes: 'Slowly' }] },
  changeRoastImport: { fields: [{ takes_green: true }, { lot_id: null }] },
  correctImportFile: { fields: [{ coffee_name: 'Both' }, { batch_size_kg: 12.5 }] },
  changeLotImport: { fields: [{ origin: 'Peru' }, { number_prefix: 'B-' }] },
  correctLotImportRow: { fields: [{ coffee_name: 'Both' }, { origin: 'Peru' }] },
  updateMachine: { whole: revision },
  updateMachineAlarmRule: { whole: revision },
  updateRecipeAlarmRule: { whole: revision },
  updateProfile: { whole: revision },
  updateLot: { whole: revision },
  updateBlend: {
    whole: async (sql, { id = '' }) => ({
      revision: 1,
      components: [...(await sql`SELECT roast_id, kg FROM blend_components WHERE blend_id = ${id}`)],
    }),
  },
  saveMachineMap: { whole: async () => ({ rev: 1 }) },
  setBoardConfig: { whole: async () => ({ revision: 0 }) },
  orderQueue: {
    whole: async (sql, { id = '', ownerId = '' }) => {
      const before: string[] = [];
      for (let place = 1; place <= 3; place++) {
        const planId = await addPlan(sql, ownerId);
        before.push(planId);
        await sql`UPDATE planned_roasts SET machine_id = ${id}, queue_place = ${place} WHERE id = ${planId}`;
      }
      return { plan_ids: before.toReversed(), order_before: before };
    },
  },
  acknowledgeAlarm: 'one value',
  setRoaster: 'one value',
  setPin: 'one value',
  putMachineMember: 'one value',
  setReferenceRoast: 'one value',
  chooseRoastUpload: 'one value',
  putMark: 'one value',
  updateRoastFromUpload: 'one value',
  setRoastFavorite: 'one value',
};

/** Two concurrent deletions get the same response: it reports the result, not the action. */
const repeatable = ['removePin', 'cancelPlannedRoast', 'clearQueue', 'revokeCredential'];
/** Its example has nothing to delete. */
const refused = ['deleteMark'];

const endpointOf = (name: string) => {
  const found = endpoints.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no endpoint ${name}`);
  return found;
};
const pathOf = (name: string): string => endpointOf(name).path;
const bodyOf = (name: string, unique = 'at once'): Body => exampleRequests[name]?.body?.(unique) ?? {};
const subscribe = (page: Visitor, index: number) =>
  page.send('POST', pathOf('subscribePush'), bodyOf('subscribePush', `device-${index}`));
const statusesOf = (answers: readonly { status: number }[]): number[] =>
  answers.map(({ status }) => status).sort((one, other) => one - other);

describe('concurrent changes', () => {
  let opened: OpenedTestApi;
  let sql: Sql;
  let ownerId: string;
  /** Two pages of one user. */
  let pages: readonly [Visitor, Visitor];

  beforeAll(async () => {
    opened = await openTestApi();
    ({ sql } = opened.test.api.context);
    pages = [opened.admin, await opened.test.signedIn(testAdmin.email, testAdmin.password)];
    ownerId = (await opened.admin.send<{ id: string }>('GET', '/auth/me')).body.id;
  });
  afterAll(() => opened.close());

  const begin = async (name: string) => {
    const { method, path } = endpointOf(name);
    const params = (await exampleRequests[name]?.params?.(sql, ownerId)) ?? {};
    const address = path.replaceAll(/\{(\w+)\}/g, (_, part: string) => params[part] ?? 'missing');
    return { params, send: <T>(page: Visitor, body?: Body) => page.send<T>(method, address, body) };
  };
  const both = <T>(work: (page: Visitor, which: 0 | 1) => Promise<T>) =>
    Promise.all([work(pages[0], 0), work(pages[1], 1)]);

  /** Sends this many requests at once from two pages; returns how many created a record. */
  const madeOf = async (count: number, make: (page: Visitor, index: number) => Promise<{ status: number }>) => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) => make(pages[index % 2 === 0 ? 0 : 1], index)),
    );
    return answers.filter(({ status }) => status === 201).length;
  };

  it('covers every endpoint that changes a record', () => {
    const changing = endpoints.filter(({ method }) => ['PUT', 'PATCH'].includes(method)).map(({ name }) => name);
    expect(Object.keys(changes).sort()).toEqual(changing.sort());
  });

  const partial = Object.entries(changes).flatMap(([name, kept]) =>
    typeof kept === 'object' && 'fields' in kept ? [{ name, fields: kept.fields }] : [],
  );
  it.each(partial)('$name keeps two fields that change at once', async ({ name, fields }) => {
    for (let round = 0; round < 8; round++) {
      const { send } = await begin(name);
      const answers = await both((page, which) => send(page, fields[which]));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const { body } = await send<Body & { values?: Body }>(pages[0], fields[0]);
      expect(body.values ?? body).toMatchObject({ ...fields[0], ...fields[1] });
    }
  });

  const whole = Object.entries(changes).flatMap(([name, kept]) =>
    typeof kept === 'object' && 'whole' in kept ? [{ name, versionOf: kept.whole }] : [],
  );
  it.each(whole)('$name refuses one of two records from the same version', async ({ name, versionOf }) => {
    for (let round = 0; round < 4; round++) {
      const { send, params } = await begin(name);
      const body = { ...bodyOf(name), ...(await versionOf(sql, { ...params, ownerId })) };
      const answers = await both((page) => send<{ code?: string }>(page, body));
      expect(statusesOf(answers)).toEqual([200, 409]);
      expect(answers.map(({ body: { code } }) => code)).toContain('changed_meanwhile');
    }
  });

  const deleting = endpoints.filter(({ method, name }) => method === 'DELETE' && !refused.includes(name));
  it.each(deleting)('$name deletes once', async ({ name }) => {
    const { send } = await begin(name);
    const answers = await both((page) => send(page));
    const second = repeatable.includes(name) ? 200 : name === 'revokePairingTicket' ? 409 : 404;
    expect(statusesOf(answers)).toEqual([200, second]);
  });

  describe('limits', () => {
    it('of planned roasts hold, and each plan has its own place in the queue', async () => {
      const machineId = await addMachine(sql, ownerId);
      const plan = (page: Visitor, count: number) =>
        page.send('POST', '/roasts/planned', { machine_id: machineId, coffee_name: 'Guji', count });
      expect(await madeOf(6, (page) => plan(page, 30))).toBe(6);
      expect(await madeOf(24, (page) => plan(page, 1))).toBe(20);
      const { body } = await pages[0].send<{ planned: PlannedRoast[] }>(
        'GET',
        `/roasts/planned?machine_id=${machineId}`,
      );
      expect(body.planned).toHaveLength(200);
      const places = await sql<{ queue_place: number }[]>`
        SELECT queue_place FROM planned_roasts WHERE machine_id = ${machineId} ORDER BY queue_place`;
      expect(places.map((row) => row.queue_place)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
    });

    it('of alarm rules hold, and a ready-made alarm is added once', async () => {
      const path = pathOf('createRecipeAlarmRule').replace('{id}', await addProfile(sql));
      const create = (page: Visitor, condition?: Body) =>
        page.send('POST', path, { ...bodyOf('createRecipeAlarmRule'), ...condition });
      expect(await madeOf(4, (page) => create(page, { condition: { kind: 'rate_crash' } }))).toBe(1);
      expect(await madeOf(maxAlarmRules + 3, (page) => create(page))).toBe(maxAlarmRules - 1);
    });

    it('of own maps, browsers and open imports hold', async () => {
      await sql`
        INSERT INTO machine_maps (id, owner_id, rev)
        SELECT 'own-' || n, ${ownerId}, 1
        FROM generate_series((SELECT count(*) FROM machine_maps WHERE owner_id = ${ownerId} AND deleted_at IS NULL) + 2,
                             ${maxOwnMaps}) n`;
      expect(await madeOf(4, (page) => page.send('POST', pathOf('createMachineMap'), bodyOf('createMachineMap')))).toBe(
        1,
      );
      await sql`DELETE FROM push_subscriptions`;
      expect(await madeOf(maxPushDevices + 3, subscribe)).toBe(maxPushDevices);
      await sql`DELETE FROM roast_imports`;
      expect(await madeOf(8, (page) => page.send('POST', pathOf('createRoastImport'), {}))).toBe(5);
    });

    it('of open lot imports hold', async () => {
      await sql`DELETE FROM lot_imports`;
      for (let open = 0; open < 4; open++) await addLotImport(sql, ownerId);
      const csv = 'lot_number,coffee_name,origin,initial_weight\nL-9,Guji,Ethiopia,60\n';
      expect(await madeOf(3, (page) => page.sendFile(`${pathOf('createLotImport')}?file_name=lots.csv`, csv))).toBe(1);
    });
  });
});
