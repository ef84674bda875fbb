import type { ResponseOf } from '@roastery/contract/endpoint';
import type { getPin, Roaster } from '@roastery/contract/roasters';
import type { Roast } from '@roastery/contract/roasts';
import { createJournalBoard } from '@roastery/testing/journal-board';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitMessages } from '../../ingest/store-batch.ts';
import { addMachine } from '../../testing/example-data.ts';
import { messageOf, roastOn } from '../../testing/ingest-fixture.ts';
import { openTestApi, type OpenedTestApi } from '../../testing/test-api.ts';
import type { Visitor } from '../../testing/visitor.ts';
import { fromNow } from '../../testing/present.ts';

const password = 'a long phrase for this person';

type PinState = ResponseOf<typeof getPin>;

const pinError = (message: string) => [422, [{ field: 'pin', message }]];

const guess = async (choosing: (pin: string) => Promise<{ status: number }>, times: number): Promise<number[]> => {
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1) statuses.push((await choosing(String(1000 + n))).status);
  return statuses;
};

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
    expect((await person('Rolf').visitor.send('GET', '/account/pin')).body).toEqual({ is_set: true, locked: null });
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

  const refusedPins = async (name: string): Promise<number> => {
    const [row] = await sql()<{ n: number }[]>`
      SELECT count(*)::int AS n FROM audit_log WHERE action = 'pin.refused' AND subject = ${person(name).id}`;
    return row?.n ?? 0;
  };
  /** A browser with both cookies of devices, as a tablet keeps them when people sign in one after the other. */
  const openTablet = () => {
    const cookies = new Map<string, string>();
    const send = async (method: string, path: string, body: unknown) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await opened.test.visitor().send<{ detail?: unknown }>(method, path, body, { cookie });
      for (const set of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        cookies.set(name, value);
      }
      return answer;
    };
    return {
      signIn: (name: string) => send('POST', '/auth/login', { email: `${name.toLowerCase()}@example.com`, password }),
      choose: (machineId: string, name: string, pin: string) =>
        send('PUT', `/machines/${machineId}/roaster`, { user_id: person(name).id, pin }),
    };
  };
  /** All counts and locks of so many seconds ago. */
  const pass = (seconds: number) => sql()`UPDATE sign_in_limits SET expire = expire - ${seconds * 1000}`;

  it('PIN: five wrong ones lock one device for this person for 15 minutes, and the person reads of it', async () => {
    const machineId = await sharedMachine();
    await setPin('Rolf', '2468');
    await setPin('Olga', '1357');
    const tablet = openTablet();
    await tablet.signIn('Rita');
    expect((await tablet.choose(machineId, 'Rolf', '2468')).status).toBe(200);
    const before = await refusedPins('Rolf');
    expect(await guess((pin) => tablet.choose(machineId, 'Rolf', pin), 6)).toEqual([422, 422, 422, 422, 422, 429]);
    expect(await refusedPins('Rolf')).toBe(before + 5);
    const locked = await tablet.choose(machineId, 'Rolf', '2468');
    expect(locked.status).toBe(429);
    const wait = Number(locked.headers.get('retry-after'));
    expect([wait > 800, wait <= 900]).toEqual([true, true]);
    // Another person on this device, and this person on another one.
    expect((await tablet.choose(machineId, 'Olga', '1357')).status).toBe(200);
    const phone = openTablet();
    await phone.signIn('Olga');
    expect((await phone.choose(machineId, 'Rolf', '2468')).status).toBe(200);

    const pinOf = async (name: string) => (await person(name).visitor.send<PinState>('GET', '/account/pin')).body;
    expect((await pinOf('Rolf')).locked).toMatchObject({ by: 'Rita', everywhere: false });
    expect((await pinOf('Olga')).locked).toBeNull();
    await person('Rolf').visitor.send('POST', '/account/pin/locks-seen');
    expect((await pinOf('Rolf')).locked).toBeNull();
    await pass(900);
    expect((await tablet.choose(machineId, 'Rolf', '2468')).status).toBe(200);
  });

  it('PIN: guesses on strangers’ devices lock those for a day after ten, never the person’s own', async () => {
    const machineId = await sharedMachine();
    await setPin('Rolf', '2468');
    await pass(86_400);
    const [chosenBefore, signedInBefore] = [openTablet(), openTablet()];
    await chosenBefore.signIn('Olga');
    expect((await chosenBefore.choose(machineId, 'Rolf', '2468')).status).toBe(200);
    await signedInBefore.signIn('Rolf');
    await signedInBefore.signIn('Olga');
    for (const statuses of [
      [422, 422, 422, 422, 422],
      [422, 422, 422, 422, 422],
      [429, 429],
    ]) {
      const stranger = openTablet();
      await stranger.signIn('Rita');
      expect(await guess((pin) => stranger.choose(machineId, 'Rolf', pin), statuses.length)).toEqual(statuses);
    }
    const stranger = openTablet();
    await stranger.signIn('Rita');
    expect((await stranger.choose(machineId, 'Rolf', '2468')).status).toBe(429);
    for (const own of [chosenBefore, signedInBefore])
      expect((await own.choose(machineId, 'Rolf', '2468')).status).toBe(200);
    const { body } = await person('Rolf').visitor.send<PinState>('GET', '/account/pin');
    expect(body.locked).toMatchObject({ by: 'Rita', everywhere: true });
    // A forged cookie makes no device known.
    const forged = { cookie: `${person('Rita').visitor.cookie ?? ''}; pin=abc.def~x; device=abc.def` };
    const wish = { user_id: person('Rolf').id, pin: '2468' };
    expect((await opened.test.visitor().send('PUT', `/machines/${machineId}/roaster`, wish, forged)).status).toBe(429);
    await pass(86_400);
    expect((await stranger.choose(machineId, 'Rolf', '2468')).status).toBe(200);
  });

  it('PIN: guesses at the same time gain nothing', async () => {
    const machineId = await sharedMachine();
    await setPin('Rolf', '2468');
    await pass(86_400);
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_, n) => choose('Rita', machineId, 'Rolf', String(1000 + n))),
    );
    expect(guesses.filter(({ status }) => status === 422)).toHaveLength(5);
  });
});
