import { readFileSync } from 'node:fs';
import { machineMapShape } from '@roastery/contract/machine-map';
import { parseAlog, type ArtisanRoast } from '@roastery/roasting/artisan/alog';
import { sharedData } from '@roastery/testing/shared-data';
import { createVirtualClock } from '@roastery/testing/virtual-clock';
import ModbusClient from 'modbus-serial';
import { describe, expect, it } from 'vitest';
import { demoRoasterMap } from './maps/demo-roaster.ts';
import { createRegisterFace } from './register-face.ts';
import { createReplayMachine } from './replay.ts';
import { startSimulator } from './simulator.ts';

const data = sharedData();
/** Why tests on real data don't run here; empty when they do. */
const skipped = data.title('');
const readRoast = (file: string): ArtisanRoast => parseAlog(readFileSync(data.path('alog', file), 'utf8'));
/** Tenths of a degree, as the demo machine's registers have them. */
const tenth = (value: number | null | undefined): number | null =>
  value === null || value === undefined
    ? null
    : Number((Math.round(Number((value * 10).toPrecision(12))) / 10).toFixed(1));

/** A short generated roast with a dropout: three seconds before the charge, and a drop. */
const small: ArtisanRoast = {
  timesSeconds: [2, 3, 4, 6, 8, 9],
  writtenTimes: [2, 3, 4, 6, 8, 9],
  beanTempC: [200, 199.5, null, 90, 120.04, 118],
  exhaustTempC: [210, null, 205, 190, 195, 194],
  marks: [
    { kind: 'drop', timeSeconds: 8, tempC: 120, origin: 'person', confidence: 1, provisional: false },
    { kind: 'charge', timeSeconds: 3, tempC: 199.5, origin: 'person', confidence: 1, provisional: false },
  ],
  channels: [{ name: 'Inlet', mayBeTemperature: true, timesSeconds: [2, 6], values: [300, 280] }],
  controlLabels: ['Air', 'Drum', 'Damper', 'Burner'],
  eventNotes: [],
  controls: { air: [{ timeSeconds: 3, value: 40 }], drum: [], damper: [], burner: [{ timeSeconds: 6, value: 70 }] },
  title: null,
  beans: null,
  machine: null,
  operator: null,
  roastingNotes: null,
  cuppingNotes: null,
  color: null,
  greenKg: null,
  roastedKg: null,
  roastedAt: null,
  roastedOnClock: null,
  batchNumber: null,
  batchPrefix: null,
  uuid: null,
  recordedIn: 'C',
  artisanVersion: null,
  record: undefined,
  warnings: [],
};

/** Which bits are up after each of eight seconds. */
const raised = (events: boolean): string[] => {
  const machine = createReplayMachine({ roast: small, events });
  return Array.from({ length: 8 }, () => {
    machine.advance(1);
    return [...machine.raisedEvents()].join();
  });
};

describe('the replay of a recorded roast', () => {
  it('shows each sample from its own time to the next, dropouts as no reading', () => {
    const machine = createReplayMachine({ roast: small });
    const seen: (number | null | undefined)[] = [];
    for (let tick = 0; tick < 16; tick++) {
      seen.push(machine.readings()['bean_temp']);
      machine.advance(0.5);
    }
    expect(seen).toEqual([200, 200, 199.5, 199.5, null, null, null, null, 90, 90, 90, 90, 120.04, 120.04, 118, 118]);
    expect(machine.phase).toBe('over');
  });

  it('sets the controls that the file has and fills other instruments by name', () => {
    const machine = createReplayMachine({ roast: small });
    expect(machine.readings()).toMatchObject({ heat_power: 0, fan_speed: 0, inlet_temp: 300 });
    machine.advance(4);
    expect(machine.readings()).toMatchObject({ heat_power: 70, fan_speed: 40, inlet_temp: 280 });
    expect(machine.readings()['drum_speed']).toBeUndefined();
  });

  it('finds a curve by its name in the file, and lists the existing ones otherwise', () => {
    const machine = createReplayMachine({ roast: small, curves: { burner_front_temp: 'Inlet' } });
    expect(machine.readings()['burner_front_temp']).toBe(300);
    expect(() => createReplayMachine({ roast: small, curves: { burner_front_temp: 'Outlet' } })).toThrow(/Inlet/);
  });

  it('raises charge and drop at their marks, or not at all', () => {
    expect(raised(true)).toEqual(['charge', 'charge', 'charge', 'charge', 'charge', ...Array(3).fill('drop,cooling')]);
    expect(raised(false)).toEqual(Array(8).fill(''));
  });

  it('waits for an order, plays the lead-in, and restarts', () => {
    const machine = createReplayMachine({ roast: small, autoStart: false, leadSeconds: 10, loopAfterSeconds: 3 });
    machine.advance(1000);
    expect(machine.sampleIndex).toBe(0);
    expect(machine.charge()).toBe(true);
    expect(machine.charge()).toBe(false);
    machine.advance(10.5);
    expect(machine.sampleIndex).toBe(0);
    machine.advance(1);
    expect(machine.sampleIndex).toBe(1);
    machine.advance(8.5);
    expect(machine.sampleIndex).toBe(0);
    expect(machine.roasts).toBe(1);
    machine.advance(11.5);
    expect(machine.roasts).toBe(2);
  });

  it('steps from change to change without pauses', () => {
    const machine = createReplayMachine({ roast: small, loopAfterSeconds: 3 });
    const indices = [];
    for (let step = 0; step < 20; step++) {
      indices.push(machine.sampleIndex);
      machine.advance(machine.secondsToNextChange() ?? Number.NaN);
    }
    expect(indices.slice(0, 14)).toEqual([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1]);
  });

  it('starts at an offset in the file, never after its end', () => {
    const machine = createReplayMachine({ roast: small, fromSeconds: 4.5, leadSeconds: 2, loopAfterSeconds: 1 });
    expect(machine.readings()).toMatchObject({ bean_temp: 90, heat_power: 70 });
    const steps = [];
    for (let step = 0; step < 5; step++) {
      const seconds = machine.secondsToNextChange() ?? Number.NaN;
      steps.push([machine.sampleIndex, Math.round(seconds)]);
      machine.advance(seconds);
    }
    expect(steps).toEqual([
      [3, 2],
      [3, 2],
      [4, 1],
      [5, 1],
      [3, 2],
    ]);
    expect(() => createReplayMachine({ roast: small, fromSeconds: 10 })).toThrow('ends at 9 s, before 10 s');
  });

  it('refuses a recording without samples', () => {
    expect(() => createReplayMachine({ roast: { ...small, timesSeconds: [] } })).toThrow(/no samples/);
  });
});

describe('real roasts replayed', () => {
  const files = [
    '01_profile1.alog',
    '06_Energy_Example_2_-_Between_Batches_Protocol.alog',
    '20_1_Ethiopia_Gerba_Hechere_2026-02-06.alog',
    '22_4_Ethiopia_Gerba_Hechere_2026-02-21.alog',
  ];
  it.skipIf(!data.present).each(files)(`%s: the registers show every sample of the file${skipped}`, (file) => {
    const roast = readRoast(file);
    const machine = createReplayMachine({ roast });
    const face = createRegisterFace(machine, demoRoasterMap());
    for (const [index] of roast.timesSeconds.entries()) {
      face.refresh([]);
      expect(machine.sampleIndex).toBe(index);
      const { bean_temp: bean, exhaust_temp: exhaust } = face.shown();
      expect(bean).toBe(tenth(roast.beanTempC[index]));
      expect(exhaust).toBe(tenth(roast.exhaustTempC[index]));
      const next = machine.secondsToNextChange();
      if (next !== undefined && Number.isFinite(next)) machine.advance(next);
    }
    expect(machine.secondsToNextChange()).toBe(Number.POSITIVE_INFINITY);
  });

  it.skipIf(!data.present)(
    `over a socket and 300 times as fast, a client reads the samples of the file in their order${skipped}`,
    async () => {
      const roast = readRoast('20_1_Ethiopia_Gerba_Hechere_2026-02-06.alog');
      const map = machineMapShape.parse({ ...demoRoasterMap(), link: { kind: 'tcp', host: '127.0.0.1', port: 1 } });
      const clock = createVirtualClock();
      const replay = { roast };
      await using simulator = await startSimulator({ map, port: 0, replay, timeFactor: 300, record: true, clock });
      const client = new ModbusClient();
      await client.connectTCP('127.0.0.1', { port: simulator.port ?? 0 });
      client.setID(1);
      const read: number[] = [];
      while (simulator.state().phase !== 'over') {
        const { data: words } = await client.readInputRegisters(0, 1);
        const temp = ((words[0] ?? 0) << 16) >> 16;
        if (temp !== read.at(-1)) read.push(temp);
        await clock.advance(5);
      }
      client.destroy(() => undefined);

      const file = roast.beanTempC.map((temp) => (temp === null ? 32_767 : Math.round(temp * 10)));
      let from = 0;
      for (const temp of read) {
        const found = file.indexOf(temp, from);
        expect(found, `${temp} after sample ${from}`).toBeGreaterThanOrEqual(0);
        from = found;
      }
      // Several samples pass between two requests; the machine's record has each of them.
      expect(read.length).toBeGreaterThan(new Set(file).size * 0.5);
      const shown = simulator
        .record()
        .filter(({ sampleIndex }, index, all) => sampleIndex !== all[index - 1]?.sampleIndex);
      expect(shown.map(({ sampleIndex }) => sampleIndex)).toEqual(roast.timesSeconds.map((_, index) => index));
      expect(shown.map(({ values }) => values['bean_temp'])).toEqual(roast.beanTempC.map(tenth));
    },
  );
});
