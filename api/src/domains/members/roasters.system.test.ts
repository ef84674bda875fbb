import type { Roaster } from '@roastery/contract/roasters';
import type { Roast } from '@roastery/contract/roasts';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitMessages } from '../../ingest/batch-writer.ts';
import { addMachine } from '../../testing/example-data.ts';
import { messageOf, roastOn } from '../../testing/ingest-fixture.ts';
import { openTestApi, type OpenedTestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';
import { fromNow } from '../../testing/present.ts';

const password = 'a long phrase for this person';

const pinError = (message: string) => [422, [{ field: 'pin', message }]];

describe('roaster at a machine', () => {
  let opened: OpenedTestApi;
  let admin: Visitor;
  const people = new Map<string, { visitor: Visitor; id: string }>();
  const person = (name: string) => {
    const found = people.get(name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };
  const sql = () => opened.test.api.context.sql;

  beforeAll(async () => {
    opened = await openTestApi();
    ({ admin } = opened);
    for (const name of ['Olga', 'Rita', 'Rolf', 'Vera', 'Xavi']) {
      const body = { full_name: name, email: `${name.toLowerCase()}@example.com`, password };
      const { body: user } = await admin.send<{ id: string }>('POST', '/admin/users', body);
      people.set(name, { visitor: await opened.test.signedIn(body.email, password), id: user.id });
    }
  });
  afterAll(() => opened.close());

  /** Olga's machine with two roasters and a viewer. */
  const sharedMachine = async (): Promise<string> => {
    const machineId = await addMachine(sql(), person('Olga').id);
    for (const [name, role] of [
      ['Rita', 'roaster'],
      ['Rolf', 'roaster'],
      ['Vera', 'viewer'],
    ] as const) {
      await person('Olga').visitor.send('PUT', `/machines/${machineId}/members/${person(name).id}`, { role });
    }
    return machineId;
  };
  const choose = (by: string, machineId: string, name: string, pin?: string) =>
    person(by).visitor.send<Roaster & { detail: unknown }>('PUT', `/machines/${machineId}/roaster`, {
      user_id: person(name).id,
      ...(pin === undefined ? {} : { pin }),
    });
  const setPin = (name: string, pin: string, current = password) =>
    person(name).visitor.send('PUT', '/account/pin', { pin, current_password: current });
  /** A roast as its board sends it: only its beginning, or all of it. */
  const roastIt = async (machineId: string, how: 'begun' | 'whole', wallOffsetMs = fromNow(0)): Promise<string> => {
    const board = createJournalBoard({ wallOffsetMs });
    const id = crypto.randomUUID();
    roastOn(board, id);
    const batches = board.batches(() => 60);
    for (const batch of how === 'whole' ? batches : batches.slice(0, 5)) {
      await commitMessages(sql(), [messageOf(`SN-${machineId}`, batch, fromNow(15 * 60_000))]);
    }
    return id;
  };
  const roastedBy = async (id: string) => (await admin.send<Roast>('GET', `/roasts/${id}`)).body.roasted_by;

  it('is one of its owner and roasters; a viewer sees the list and can’t choose', async () => {
    const machineId = await sharedMachine();
    const list = await person('Vera').visitor.send<{ people: Roaster[]; current: Roaster | null }>(
      'GET',
      `/machines/${machineId}/roasters`,
    );
    expect(list.body.people.map((one) => one.full_name)).toEqual(['Olga', 'Rita', 'Rolf']);
    expect(list.body.current).toBeNull();
    expect((await choose('Vera', machineId, 'Rita')).status).toBe(403);
    expect((await choose('Xavi', machineId, 'Rita')).status).toBe(404);
    expect((await choose('Rita', machineId, 'Vera')).status).toBe(422);
    expect((await choose('Rita', machineId, 'Rolf')).body).toMatchObject({ full_name: 'Rolf', has_pin: false });
  });

  it('is set on the next roast, and on the running one when it changes', async () => {
    const machineId = await sharedMachine();
    await choose('Rita', machineId, 'Rita');
    const id = await roastIt(machineId, 'begun');
    expect(await roastedBy(id)).toBe('Rita');
    await choose('Rita', machineId, 'Rolf');
    expect(await roastedBy(id)).toBe('Rolf');
    expect(await roastedBy(await roastIt(await sharedMachine(), 'whole'))).toBe('Olga');
  });

  it('a late roast from before the choice does not get the roaster', async () => {
    const machineId = await sharedMachine();
    await choose('Rita', machineId, 'Rita');
    expect(await roastedBy(await roastIt(machineId, 'whole', fromNow(-3 * 3_600_000)))).toBe('Olga');
  });

  it('the later choice of plan and machine applies', async () => {
    const machineId = await sharedMachine();
    const plan = () =>
      person('Olga').visitor.send('POST', '/roasts/planned', { machine_id: machineId, roasted_by: 'Rolf' });
    await plan();
    await choose('Rita', machineId, 'Rita');
    expect(await roastedBy(await roastIt(machineId, 'whole'))).toBe('Rita');
    await plan();
    expect(await roastedBy(await roastIt(machineId, 'whole', fromNow(3_600_000)))).toBe('Rolf');
  });

  it('PIN: is required to choose another person, is stored hashed, and grants no rights', async () => {
    const machineId = await sharedMachine();
    expect((await setPin('Rolf', '12')).status).toBe(422);
    expect((await setPin('Rolf', '2468', 'a wrong password')).status).toBe(401);
    expect((await setPin('Rolf', '2468')).status).toBe(200);
    expect((await person('Rolf').visitor.send('GET', '/account/pin')).body).toEqual({ is_set: true });
    const [row] = await sql()<{ pin_hash: string }[]>`SELECT pin_hash FROM users WHERE id = ${person('Rolf').id}`;
    expect(row?.pin_hash).toMatch(/^\$argon2id\$/);
    const told = async (pin?: string) => {
      const { status, body } = await choose('Rita', machineId, 'Rolf', pin);
      return [status, body.detail];
    };
    expect(await told()).toEqual(pinError('Enter the PIN'));
    expect(await told('1111')).toEqual(pinError('The PIN is wrong'));
    expect((await choose('Rita', machineId, 'Rolf', '2468')).status).toBe(200);
    expect((await choose('Rolf', machineId, 'Rolf')).status).toBe(200);
    // Rita's rights do not change: the machine is not hers.
    await choose('Rita', machineId, 'Olga');
    expect((await person('Rita').visitor.send('DELETE', `/machines/${machineId}`)).status).toBe(403);
    expect((await person('Rita').visitor.send<{ full_name: string }>('GET', '/auth/me')).body.full_name).toBe('Rita');
    const log = JSON.stringify(await sql()`SELECT detail FROM audit_log`);
    expect(log).not.toContain('2468');
    await person('Rolf').visitor.send('DELETE', '/account/pin');
    expect((await choose('Rita', machineId, 'Rolf')).status).toBe(200);
  });

  it('PIN: is refused with 429 after ten wrong ones, also the right one, for this person only', async () => {
    const machineId = await sharedMachine();
    await setPin('Rolf', '2468');
    await setPin('Olga', '1357');
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_, n) => choose('Rita', machineId, 'Rolf', String(1000 + n))),
    );
    expect(guesses.filter(({ status }) => status === 422)).toHaveLength(10);
    const blocked = await choose('Rita', machineId, 'Rolf', '2468');
    expect([blocked.status, Number(blocked.headers.get('retry-after')) > 60]).toEqual([429, true]);
    expect((await choose('Rita', machineId, 'Olga', '1357')).status).toBe(200);
    expect((await choose('Rolf', machineId, 'Rolf')).status).toBe(200);
    const [refused] = await sql()<{ n: number }[]>`
      SELECT count(*) AS n FROM audit_log WHERE action = 'pin.refused' AND subject = ${person('Rolf').id}`;
    expect(refused?.n).toBeGreaterThanOrEqual(10);
  });
});
