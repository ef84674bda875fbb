import { listMachines, registerMachine } from '@roastery/contract/machines';
import { planRoast } from '@roastery/contract/planned';
import { getRoast, listRoasts } from '@roastery/contract/roasts';
import { createUser } from '@roastery/contract/users';
import { runDemoOperator } from '@roastery/stack/demo/demo-operator';
import { liveMachine, owner } from '@roastery/stack/demo/demo-roastery';
import { openDemoState } from '@roastery/stack/demo/demo-state';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signIn, type RoasteryClient } from './roastery-client.ts';
import { serversOfWorker } from './shared-servers.ts';
import { startTestStack, type TestStack } from './test-stack.ts';
import { until } from './until.ts';

let stack: TestStack;
let maya: RoasteryClient;

beforeAll(async () => {
  stack = await startTestStack({ servers: serversOfWorker() });
  const { state, save } = await openDemoState(stack.folder);
  await save();
  const admin = await signIn(stack.url, stack.admin);
  await admin.call(createUser, { body: { ...owner, password: state.ownerPassword } });
  maya = await signIn(stack.url, { email: owner.email, password: state.ownerPassword });
});
afterAll(() => stack.close());

it('demo operator: describes an unplanned roast and never touches one that a user planned', async () => {
  const { auth_token: token } = await maya.call(registerMachine, { body: liveMachine });
  const machine = await stack.startMachine({
    serial: liveMachine.serial_number,
    token,
    isAutomatic: false,
    timeFactor: 4,
  });
  const registered = async () =>
    (await maya.call(listMachines)).find(({ serial_number: serial }) => serial === liveMachine.serial_number);
  const { id: machineId } = await until(
    'the machine to be online',
    async () => {
      const found = await registered();
      return found?.connection === 'online' && found;
    },
    { timeoutMs: 30_000 },
  );
  const leaving = new AbortController();
  const place = {
    dataDir: stack.folder,
    origin: stack.url,
    mqttUrl: stack.mqttUrl,
    admin: stack.admin,
    say: () => undefined,
  };
  const working = runDemoOperator(place, leaving.signal);
  const running = (except?: string) =>
    until(
      'a roast with its charge',
      async () => {
        machine.order({ do: 'charge' });
        const { roasts } = await maya.call(listRoasts, { query: { limit: 3 } });
        const found = roasts.find(({ id, status }) => status === 'in_progress' && id !== except);
        const roast = found && (await maya.call(getRoast, { params: { id: found.id } }));
        return roast?.marks.some(({ kind }) => kind === 'charge') === true && roast;
      },
      { timeoutMs: 60_000, everyMs: 500 },
    );
  try {
    await maya.call(planRoast, { body: { machine_id: machineId, coffee_name: 'My own coffee', batch_size_kg: 3 } });
    const planned = await running();
    expect(planned).toMatchObject({ coffee_name: 'My own coffee', batch_size_kg: 3 });
    machine.order({ do: 'drop' });
    await until(
      'the drop',
      async () => (await maya.call(getRoast, { params: { id: planned.id } })).status === 'completed',
      { timeoutMs: 60_000 },
    );
    const next = await running(planned.id);
    // The operator checks the roasts in turn: when it has described this one, it has checked the other.
    const described = await until(
      'the operator’s description',
      async () => {
        const roast = await maya.call(getRoast, { params: { id: next.id } });
        return roast.batch_size_kg !== null && roast;
      },
      { timeoutMs: 30_000 },
    );
    expect(described.batch_size_kg).toBe(liveMachine.max_capacity_kg * 0.8);
    const left = await maya.call(getRoast, { params: { id: planned.id } });
    expect(left).toMatchObject({
      coffee_name: 'My own coffee',
      batch_size_kg: 3,
      profile_id: null,
      lot_id: null,
      revision: planned.revision,
    });
  } finally {
    leaving.abort();
    await working;
  }
}, 240_000);
