import type { DetectorSample } from '@roastery/roasting/detection/detector';
import { normal, randomStream } from './random.ts';
import type { RoastTruth } from './detected-roasts.ts';

/** Readings of a simulated drum roaster over several batches, with the true charges and drops. */
export interface PhysicalSeries {
  readonly samples: readonly DetectorSample[];
  readonly roasts: readonly RoastTruth[];
  /** The parameters, to read when a test fails. */
  readonly story: string;
}

/** Seeds of the two sets: one for development, one that only the bench uses. */
export const developmentSeeds = { from: 1_000, count: 120 } as const;
export const heldOutSeeds = { from: 20_000_000, count: 240 } as const;

/** Few beans for the drum, the hardest to see. Seeds that only the bench uses. */
export const smallBatches = { from: 340_000_000, count: 1_500, below: 0.13 } as const;

/** How the drum reaches the charge temperature of the next batch. */
const protocols = ['hold', 'ramp', 'drift', 'overshoot'] as const;
type Protocol = (typeof protocols)[number];

const stepSeconds = 0.1;
const maxRoastSeconds = 1_200;

/** Share of the drum that a batch fills: the first draw of a series. */
function drawBatch(random: () => number): number {
  const [small, usual] = [0.04 + 0.21 * random(), 0.25 + 0.75 * random()];
  return random() < 0.5 ? small : usual;
}

export const batchOfSeries = (seed: number): number => drawBatch(randomStream(seed));

/**
 * Drum and air, beans and probe as three coupled first-order bodies. Everything is drawn from the seed: batch size, heat
 * capacity of the drum, lag of the probe, how much of it the beans cover, charge temperature, room, sampling, noise,
 * resolution, losses, gas steps, doors opened, protocols between batches, readings of a cooling tray, a probe that is moved.
 */
export function physicalSeries(seed: number): PhysicalSeries {
  const random = randomStream(seed);
  const between = (low: number, high: number) => low + (high - low) * random();
  const pick = <T>(...choices: readonly [T, ...T[]]): T => choices[Math.floor(random() * choices.length)] ?? choices[0];

  const machine = {
    /** Share of the drum that the batch fills. */
    batch: drawBatch(random),
    /** Time constant of a full batch in the hot drum, s. Few beans warm up sooner. */
    beanLag: between(150, 280),
    /** The heat that a full batch takes from the drum, per s and °C. */
    coupling: between(0.0006, 0.0025),
    probeLag: pick(between(1.5, 6), between(3, 9), between(8, 15)),
    /** Share of the probe that a full batch covers. */
    covered: between(0.6, 0.98),
    mixing: between(2, 9),
    room: between(12, 32),
  };
  const beanLag = machine.beanLag * (0.5 + 0.5 * machine.batch);
  const share = machine.covered * (1 - Math.exp(-machine.batch / 0.28));
  const line = {
    interval: pick(0.25, 0.5, 1, 1, 2, 3, 5),
    noise: pick(0, 0.1, 0.25, 0.5),
    resolution: pick(0.01, 0.1, 0.5, 1),
    lost: pick(0, 0, 0.02, 0.1),
    torn: pick(0, 0, 0.003),
  };

  let drumC = 0;
  let beansC: number | null = null;
  let aroundC = 0;
  let probeC = 0;
  /** The effect of a door, a moved probe or a cooling tray on the reading's surroundings. */
  let offsetC = 0;
  let now = 0;
  let nextRead = line.interval * random();
  const samples: DetectorSample[] = [];
  const live = (heatC: number) => {
    drumC += (heatC - machine.coupling * machine.batch * (beansC === null ? 0 : drumC - beansC)) * stepSeconds;
    if (beansC !== null) beansC += ((drumC - beansC) / beanLag) * stepSeconds;
    const sees = (beansC === null ? drumC : share * beansC + (1 - share) * drumC) + offsetC;
    aroundC += ((sees - aroundC) / machine.mixing) * stepSeconds;
    probeC += ((aroundC - probeC) / machine.probeLag) * stepSeconds;
    now += stepSeconds;
    if (now < nextRead) return;
    nextRead += line.interval * between(0.93, 1.07);
    const read = Math.round((probeC + line.noise * normal(random)) / line.resolution) * line.resolution;
    const torn = random() < line.torn ? pick(0, 6553.5, read - 60, 850) : read;
    samples.push({ timeSeconds: now, beanTempC: random() < line.lost ? null : torn });
  };
  /** Runs for this long; heat in °C/s is requested at each step. */
  const run = (seconds: number, heat: (since: number) => number) => {
    for (let since = 0; since < seconds; since += stepSeconds) live(heat(since));
  };

  // Small batches are charged cooler.
  const chargeC = 115 + 85 * Math.sqrt(machine.batch) + between(-8, 25);
  const batches = pick(1, 1, 2, 3);
  const doors = random() < 0.3;
  const story: string[] = [JSON.stringify({ seed, ...machine, share, ...line, chargeC: Math.round(chargeC) })];
  drumC = chargeC - between(0, 25);
  aroundC = drumC;
  probeC = drumC;
  const roasts: { charge: number; drop: number }[] = [];

  const openDoor = () => {
    const [deep, long] = [between(4, 30), between(5, 60)];
    story.push(`door ${deep.toFixed(0)} °C ${long.toFixed(0)} s at ${now.toFixed(0)} s`);
    const back = between(10, 35);
    run(long, (since) => {
      offsetC = -deep * (1 - Math.exp(-since / 8));
      return 0;
    });
    const from = offsetC;
    run(4 * back, (since) => {
      offsetC = from * Math.exp(-since / back);
      return 0;
    });
    offsetC = 0;
  };
  /** From the current temperature of the drum to the charge temperature, as this crew does it. */
  const heatUp = (protocol: Protocol) => {
    const rate = between(0.04, 0.25);
    const towards = (targetC: number) => (drumC < targetC ? rate : drumC > targetC + 1 ? -Math.min(rate, 0.15) : 0);
    const until = (targetC: number) => {
      for (let tries = 0; tries < 12_000 && Math.abs(drumC - targetC) > 1.2; tries++) live(towards(targetC));
    };
    if (protocol === 'drift' || protocol === 'overshoot') until(chargeC + between(6, 20));
    if (protocol === 'ramp' && drumC > chargeC) until(chargeC - 15);
    until(chargeC);
    if (protocol === 'drift') run(between(10, 50), () => -between(0.02, 0.2));
    if (protocol === 'hold' || protocol === 'overshoot') run(between(20, 240), () => 0.01 * normal(random));
  };

  for (let batch = 0; batch < batches; batch++) {
    const protocol = pick(...protocols);
    run(between(20, 90), () => 0.02);
    if (doors && random() < 0.7) openDoor();
    heatUp(protocol);
    const charge = now;
    beansC = machine.room;
    const dropC = between(178, 222);
    let gas = between(0.22, 0.42) * (0.35 + machine.batch * machine.coupling * 400);
    const cutAt = between(0.6, 0.98);
    const stepAt = between(120, 500);
    let cut = false;
    const shortest = between(210, 300);
    for (let since = 0; since < maxRoastSeconds; since += stepSeconds) {
      if (beansC >= dropC && since >= shortest) break;
      if (since > stepAt && !cut) {
        gas *= between(0.6, 0.95);
        cut = true;
      }
      const near = beansC / dropC > cutAt ? 0.7 : 1;
      // Burner and air keep the drum ahead of the beans, and no further than roasters let it.
      if (beansC > dropC - 1) live(drumC > beansC ? -0.1 : 0.02);
      else live(drumC > beansC + 75 ? Math.min(0.03, gas * 0.2) : gas * near);
    }
    const drop = now;
    roasts.push({ charge, drop });
    story.push(`${protocol}, charged at ${charge.toFixed(0)} s, dropped at ${drop.toFixed(0)} s`);
    // The door is open, and cold air replaces the beans: the drum reads less than with beans.
    const shown = share * (beansC ?? drumC) + (1 - share) * drumC;
    beansC = null;
    drumC = Math.min(drumC, shown + between(-5, 15));
    const tray = random() < 0.1;
    const fall = tray ? drumC - between(35, 80) : between(12, 60);
    const falls = between(6, 30);
    run(between(40, 110), (since) => {
      offsetC = -fall * (1 - Math.exp(-since / falls));
      return -0.05;
    });
    const [open, closes] = [offsetC, between(20, 60)];
    run(between(30, 150), (since) => {
      offsetC = open * Math.exp(-since / closes);
      return -0.08;
    });
    drumC += offsetC;
    offsetC = 0;
    if (random() < 0.08) {
      // The probe is pushed in or pulled out while the machine is idle, and stays so.
      drumC -= between(3, 20);
      story.push(`probe moved at ${now.toFixed(0)} s`);
      run(between(60, 120), () => 0);
    }
  }
  run(between(20, 200), () => -0.05);
  return { samples, roasts, story: story.join('; ') };
}
