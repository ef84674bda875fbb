import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { emptyPlanBook, withPlans } from '../plan/plan-book.ts';
import { planFile } from '../plan/plan-store.ts';
import { planOf } from '../testing/roast-plan.ts';
import { outputs } from './outputs.ts';

let folder: string;
let said: { out: string; err: string };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outputs-'));
  const map = {
    v: 1,
    id: 'drum-15',
    maker: 'Maker',
    model: 'Drum 15',
    // Nothing listens on this port, so a connection would fail.
    link: { kind: 'tcp', host: '127.0.0.1', port: 9 },
    channels: { bean_temp: { at: 'i:0' } },
    outputs: {
      heat_power: { at: 'h:10', scale: 0.1, range: [0, 70], maxPerSecond: 4 },
      fan_speed: { at: 'h:11', range: [0, 100] },
    },
  };
  await writeFile(join(folder, 'map.json'), JSON.stringify(map));
  const env = `API_URL=https://roastery.example/api/v1\nMACHINE_SERIAL=RM15-1\nMACHINE_TOKEN=token\nDATA_DIR=${folder}\n`;
  await writeFile(join(folder, 'agent.env'), `${env}MACHINE_MAP=${join(folder, 'map.json')}\n`);
  said = { out: '', err: '' };
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((said.out += String(text)), true));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((said.err += String(text)), true));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

describe('outputs --simulate', () => {
  it('prints register, raw value, clamping and rate limit for every step of the plan', async () => {
    await writeFile(planFile(folder), JSON.stringify(withPlans(emptyPlanBook, [planOf(1)], null)));
    expect(await outputs(true, folder)).toBe(0);
    expect(said.out.split('\n')).toEqual([
      'Simulated: nothing is written to the machine.',
      'House filter, Huila, 12 kg; waits for its charge',
      'Map: Maker Drum 15 (drum-15, revision 1):',
      '    0:00  burner 80 %     1/h:10 ← 700, which is 70 % (clamped to the map’s range)',
      '    0:00  air 40 %        1/h:11 ← 40, which is 40 %',
      '    0:00  drum 60 RPM     the map has no output for it',
      '    0:01  burner 60 %     1/h:10 ← 600, which is 60 % (takes 3 s at the map’s rate limit, not reached before the next step)',
      '    0:02  burner 40 %     1/h:10 ← 400, which is 40 % (takes 5 s at the map’s rate limit)',
      '',
    ]);
  });

  it('reports a missing map or plan, and that it writes nothing', async () => {
    expect(await outputs(true, folder)).toBe(1);
    expect(said.err).toContain('there is no plan on this board: plan a roast for this machine in the portal');
    expect(await outputs(false, folder)).toBe(2);
    expect(said.err).toContain('never writes to a machine');
  });
});
