import { createMachineMap, saveMachineMap } from '@roastery/contract/machine-maps';
import type { MachineMapInput } from '@roastery/contract/machine-map';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { getRoastCurveColumns, type RecordedCurve } from '@roastery/contract/roast-curves';
import { getRoast, listRoasts } from '@roastery/contract/roasts';
import { accessibilityFindings } from '@roastery/testing/accessibility';
import type { RoasteryClient } from '@roastery/testing/roastery-client';
import { until } from '@roastery/testing/until';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordDay } from './recorded-day.ts';
import { anaRestrepo, openRoastery, register, type TestRoastery } from './roastery.ts';

const registers = (bean: string, exhaust: string): MachineMapInput => ({
  v: 1,
  id: 'drum',
  maker: 'Ambex',
  model: 'YM',
  link: { kind: 'tcp', host: '10.0.0.31' },
  channels: {
    bean_temp: { at: bean, as: 'i16', scale: 0.1 },
    exhaust_temp: { at: exhaust, as: 'i16', scale: 0.1 },
  },
});

let roastery: TestRoastery;
let ana: RoasteryClient;
let drum: RegisteredMachine;

beforeAll(async () => {
  roastery = await openRoastery();
  ana = await roastery.addPerson(anaRestrepo);
  drum = await register(ana, 'AMB-0001', 'Ambex YM 15', 'RM15');
  const map = await ana.call(createMachineMap, { body: { map: registers('h:6', 'h:8') } });
  await recordDay(roastery.stack, drum, ['whole', 'whole'], { id: map.id, rev: 1 });
  await until('the roasts to be stored', async () => (await roastsOf()).length === 2);
  await ana.call(saveMachineMap, { params: { id: map.id }, body: { map: registers('h:8', 'h:6'), rev: 1 } });
});
afterAll(() => roastery[Symbol.asyncDispose]());

const roastsOf = async () =>
  (await ana.call(listRoasts, { query: { machine_id: drum.id, sort: 'start_time' } })).roasts;
const newest = async () => {
  const params = { id: (await roastsOf()).at(-1)?.id ?? '' };
  return { roast: await ana.call(getRoast, { params }), curve: await ana.call(getRoastCurveColumns, { params }) };
};

const lowestBean = ({ channels }: RecordedCurve): number =>
  Math.min(...(channels['bean_temp'] ?? []).flatMap((temp) => temp ?? []));

it('an owner exchanges bean and exhaust in the recordings of a wrong map, and undoes it', async () => {
  const before = await newest();
  await using watched = await roastery.openAs(ana);
  const { page, complaints } = watched;
  await page.goto(`/machines/${drum.id}/timeline`);
  const card = page.getByRole('region', { name: 'Exchanged channels' });
  await card.getByRole('heading', { name: 'Recordings with bean and exhaust exchanged' }).waitFor();
  await card.getByText(/^2 roasts, .* recorded with revision 1 of Ambex YM\.$/).waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);

  await card.getByRole('button', { name: 'Exchange in 2 roasts' }).click();
  await card.getByText('Bean and exhaust exchanged in 2 roasts recorded with revision 1 of Ambex YM').waitFor();
  await card.getByText(/by Ana Restrepo$/).waitFor();
  await expect.poll(() => card.getByRole('progressbar').count(), { timeout: 60_000 }).toBe(0);
  const exchanged = await newest();
  expect(lowestBean(before.curve)).toBeGreaterThan(120);
  expect(lowestBean(exchanged.curve)).toBeLessThan(100);
  expect(exchanged.roast.marks).not.toEqual(before.roast.marks);
  expect(exchanged.roast.status).toBe('completed');
  await expect.poll(() => card.getByText('no charge was detected').count()).toBe(0);

  await card.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo the exchange' }).click();
  await card.getByRole('button', { name: 'They are right' }).waitFor();
  await expect.poll(newest, { timeout: 60_000 }).toEqual(before);
  await card.getByRole('button', { name: 'They are right' }).click();
  await card.getByText('Bean and exhaust are right in 2 roasts recorded with revision 1 of Ambex YM').waitFor();
  expect(complaints).toEqual([]);
});
