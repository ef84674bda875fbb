import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { me } from '@roastery/contract/auth';
import { listLots } from '@roastery/contract/inventory';
import { listProfiles } from '@roastery/contract/profiles';
import { createUser } from '@roastery/contract/users';
import { startStack } from '@roastery/stack/stack';
import { percentile, type Bench, type Measurement } from '@roastery/testing/bench';
import { launchBrowser } from '@roastery/testing/browser';
import { seedLargeRoastery } from '@roastery/testing/large-roastery/seed';
import type { RoasterySizes } from '@roastery/testing/large-roastery/sizes';
import { longRoast } from '@roastery/testing/long-roast';
import { registerTestMachine, signIn } from '@roastery/testing/roastery-client';
import { shipJournal } from '@roastery/testing/ship-journal';
import { openOnSlowPhone, type PageLoad } from '@roastery/testing/slow-phone';

const times = Number(process.env['BENCH_TIMES'] ?? 3);
/** Only pages whose name holds this word. */
const word = process.env['BENCH_PAGES'] ?? '';
/** A roastery after a year: each list has more than one page of rows. */
const sizes: RoasterySizes = { users: 30, machines: 8, lots: 57, recipes: 40, roasts: 1500, curves: 40, audit: 2000 };
/** A quarter of an hour at 4 Hz. */
const samples = 3600;

interface OpenedPage {
  readonly name: string;
  readonly path: string;
  readonly isSignedOut?: true;
  /** Largest contentful paint, ms. */
  readonly paintAim?: number;
}

interface Opened {
  readonly roast: string;
  readonly other: string;
  readonly machine: string;
  readonly recipe: string;
  readonly lot: string;
}

const pagesWith = ({ roast, other, machine, recipe, lot }: Opened): readonly OpenedPage[] => [
  { name: 'sign-in', path: '/login', isSignedOut: true },
  { name: 'dashboard', path: '/dashboard', paintAim: 2000 },
  { name: 'a roast', path: `/roasts/${roast}`, paintAim: 2500 },
  { name: 'roasts', path: '/roasts' },
  { name: 'new roast', path: '/roasts/new' },
  { name: 'compare', path: `/roasts/compare?ids=${roast},${other}` },
  { name: 'machines', path: '/machines' },
  { name: 'inventory', path: '/inventory' },
  { name: 'recipes', path: '/recipes' },
  { name: 'analytics', path: '/analytics' },
  { name: 'settings', path: '/admin/settings' },
  { name: 'users', path: '/admin/users' },
  { name: 'devices', path: '/admin/devices' },
  { name: 'audit', path: '/admin/audit' },
  { name: 'account', path: '/account' },
  { name: 'new recipe', path: '/recipes/new' },
  { name: 'new lot', path: '/inventory/lots/new' },
  { name: 'blends', path: '/roasts/blends' },
  { name: 'machine maps', path: '/machines/maps' },
  { name: 'cockpit', path: `/machines/${machine}/live` },
  { name: 'timeline', path: `/machines/${machine}/timeline` },
  { name: 'probe', path: `/machines/${machine}/probe` },
  { name: 'a recipe', path: `/recipes/${recipe}` },
  { name: 'a lot', path: `/inventory/lots/${lot}/edit` },
  { name: 'batch numbers', path: '/roasts/batch-numbers' },
  { name: 'statistics', path: '/admin/stats' },
  { name: 'wall', path: '/wall' },
];

const median = (loads: readonly PageLoad[], of: (load: PageLoad) => number): number => percentile(loads.map(of), 0.5);

const measurementsOf = ({ name, paintAim }: OpenedPage, loads: readonly PageLoad[]): Measurement[] => [
  {
    what: `${name}: largest contentful paint, median`,
    value: median(loads, (load) => load.largestPaintMs),
    unit: 'ms',
    ...(paintAim === undefined ? {} : { aim: { of: 'value', atMost: paintAim } }),
  },
  {
    what: `${name}: total blocking time, median`,
    value: median(loads, (load) => load.blockingMs),
    unit: 'ms',
    aim: { of: 'value', atMost: 200 },
  },
  {
    what: `${name}: requests at first, most`,
    value: Math.max(...loads.map((load) => load.requests)),
    unit: 'requests',
    aim: { of: 'value', atMost: 15 },
  },
  {
    what: `${name}: requests later, most`,
    value: Math.max(...loads.map((load) => load.laterRequests)),
    unit: 'requests',
  },
  { what: `${name}: over the network`, value: median(loads, (load) => load.bytes) / 1024, unit: 'KB' },
];

const run: Bench['run'] = async (say) => {
  const folder = await mkdtemp(join(tmpdir(), 'roastery-slow-phone-'));
  const stack = await startStack({ dataDir: join(folder, 'data') });
  try {
    const admin = await signIn(stack.url, stack.admin);
    const { id: adminId } = await admin.call(me);
    const roaster = { full_name: 'Rosa Lind', email: 'roaster@roastery.example', password: 'a long phrase for her' };
    const { id: roasterId } = await admin.call(createUser, { body: roaster });
    await seedLargeRoastery(stack.databaseUrl, sizes, { adminId, roasterId });
    const { id: machine, auth_token: token } = await registerTestMachine(admin, 'PHONE-1');
    const roasts = [longRoast(samples), longRoast(samples, 60)];
    for (const { batches } of roasts) await shipJournal(stack.mqttUrl, { serial: 'PHONE-1', token }, batches);
    const [roast = '', other = ''] = roasts.map(({ roastId }) => roastId);
    const recipe = (await admin.call(listProfiles, { query: { limit: 1 } })).profiles[0]?.id ?? '';
    const lot = (await admin.call(listLots, { query: { limit: 1 } })).lots[0]?.id ?? '';
    const pages = pagesWith({ roast, other, machine, recipe, lot }).filter(({ name }) => name.includes(word));
    await using browser = await launchBrowser();
    const results: Measurement[] = [];
    for (const page of pages) {
      const loads: PageLoad[] = [];
      for (let n = 0; n < times; n++) {
        loads.push(
          await openOnSlowPhone(browser, `${stack.url}${page.path}`, page.isSignedOut === true ? null : admin.cookie),
        );
      }
      const { largestText, longestTaskMs } = loads[0] ?? {};
      say(`${page.name}: largest text "${largestText}", longest task ${Math.round(longestTaskMs ?? 0)} ms`);
      results.push(...measurementsOf(page, loads));
    }
    return results;
  } finally {
    await stack.close();
    await rm(folder, { recursive: true, force: true });
  }
};

export default {
  title: 'The portal on a slow phone: processor slowed 4 ×, 1.6 Mbit/s, 150 ms, nothing in its cache',
  run,
} satisfies Bench;
