import type { Bench, Measurement } from '@roastery/testing/bench';
import { measure, measureIdle, type Load, type Step, type Storm } from '../fleet/measure-fleet.ts';
import { doesHold, measureUsual, type UsualStep } from '../fleet/peers.ts';
import { hasMosquitto } from '@roastery/testing/mosquitto';

/** Boards of one step; the next step has 1.5 times as many. */
const firstStep = Number(process.env['FLEET_BOARDS'] ?? 1_000);
const maxBoards = Number(process.env['FLEET_MAX_BOARDS'] ?? 19_000);
/** Boards beside the usual consumer, and those that send nothing. */
const comparedBoards = Number(process.env['FLEET_COMPARED'] ?? 3_000);
/** Boards between two roasts. */
const idleBoards = Number(process.env['FLEET_IDLE'] ?? 10_000);
/** Boards that all reconnect at once. */
const stormBoards = Number(process.env['FLEET_STORM'] ?? 10_000);
/** The additional duration of a sync on a slow disk. */
const slowFsyncMs = 10;
const maxP99Ms = 1_000;
/** One batch per second. */
const fastHz = 4;
const atOneHz: Load = { channels: 3, samplesPerBatch: 1 };
/** As an agent between roasts: it samples as usual, and sends its journal each minute. */
const idle: Load = { ...atOneHz, sendEverySeconds: 60 };

const parts = ['1hz', '4hz', 'fsync', 'storm', 'peers', 'idle'] as const;
/** All of them take an hour. */
const wanted = process.env['FLEET_PARTS']?.split(',') ?? parts;

/** Grows the fleet until it no longer holds. `held` is the last step that did, `first` the first one in any case. */
const grow = async <T>(
  from: number,
  measureStep: (boards: number) => Promise<T>,
  holds: (step: T) => boolean,
): Promise<{ first: T; held: T | undefined }> => {
  const first = await measureStep(from);
  let held: T | undefined;
  let step = first;
  for (let boards = from; holds(step); step = await measureStep(boards)) {
    held = step;
    if (boards >= maxBoards) break;
    boards = Math.min(maxBoards, Math.round(boards * 1.5));
  }
  return { first, held };
};

/** The largest fleet of our system that is fast enough and loses nothing; of no boards where the first one is not. */
const growOurs = async (load: Load, say: (line: string) => void): Promise<Step> => {
  const { first, held } = await grow(
    firstStep,
    (boards) => measure(boards, load, say),
    (step) => step.p99Ms <= maxP99Ms && step.missing === 0 && step.connectedSeconds < Infinity,
  );
  return held ?? { ...first, boards: 0 };
};

const count = (value: number): string => value.toLocaleString('en-US', { maximumSignificantDigits: 2 });
const micros = (value: number): string => value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
/** Rounded up, as when buying a machine. */
const hundredths = (value: number): string => (Math.ceil(value * 100) / 100).toFixed(2);
const boardsOf = (boards: number): string => `${boards.toLocaleString('en-US')} boards`;

/** CPU of one board in a second, ms. */
const millisecondsOf = (step: Step, hz: number): number =>
  ((step.apiMicros + step.brokerMicros + step.postgresMicros) * hz) / 1000;

/** The measured lines of deploy/docs/capacity.md, as written there. */
const capacityLines = (slow: Step, fast: Step): string[] => {
  const row = (what: string, of: (step: Step) => number, note = ''): string =>
    `| CPU of ${what} | ${micros(of(slow))} µs | ${micros(of(fast) * fastHz)} µs | \`fleet\`: ${micros(of(slow))} and ${micros(of(fast))} µs a sample${note} |`;
  const halfBusy = count(500_000 / Math.max(slow.apiMicros, fast.apiMicros * fastHz));
  return [
    row('the api', (step) => step.apiMicros),
    row('the broker', (step) => step.brokerMicros, ', one live reading a second'),
    row('Postgres', (step) => step.postgresMicros),
    `- **Cores** = \`boards that roast at once × ${hundredths(millisecondsOf(slow, 1))} ms\`, at 4 Hz ${hundredths(millisecondsOf(fast, fastHz))} ms, … half busy with ${halfBusy} boards`,
    `- **Memory** = \`100 MB + ${count(Math.max(slow.brokerKilobytes, fast.brokerKilobytes))} KB × boards\` for the broker`,
  ];
};

/** CPU by part, and how the step went. */
const stepLines = (step: Step, cpu = { unit: 'µs/sample', samples: 1 }): Measurement[] => [
  { what: '… p50 from publication to commit', value: step.p50Ms, unit: 'ms' },
  { what: '… p99', value: step.p99Ms, unit: 'ms' },
  { what: '… samples lost or doubled', value: step.missing, unit: 'samples', aim: { of: 'value', atMost: 0 } },
  { what: '… acknowledgements', value: step.acknowledgements, unit: 'for a sample' },
  { what: '… batches sent again', value: step.resent, unit: 'batches', aim: { of: 'value', atMost: 0 } },
  { what: '… all connected and acknowledged', value: step.connectedSeconds, unit: 's' },
  { what: '… CPU of the boards', value: step.boardsMicros * cpu.samples, unit: cpu.unit },
  { what: '… CPU of the broker', value: step.brokerMicros * cpu.samples, unit: cpu.unit },
  { what: '… CPU of the api', value: step.apiMicros * cpu.samples, unit: cpu.unit },
  { what: '… CPU of Postgres', value: step.postgresMicros * cpu.samples, unit: cpu.unit },
  { what: '… the computer busy', value: step.busy * 100, unit: '%' },
  { what: '… broker memory', value: step.brokerKilobytes, unit: 'KB/connection' },
  { what: '… api memory', value: step.apiMegabytes, unit: 'MB' },
  { what: '… Postgres memory', value: step.postgresMegabytes, unit: 'MB' },
  { what: '… memory of the boards', value: step.boardsMegabytes, unit: 'MB' },
];

const storms: readonly Storm[] = [['broker'], ['api'], ['broker', 'api']];

const measureStorms = async (say: (line: string) => void): Promise<Measurement[]> => {
  const { stormSeconds } = await measure(stormBoards, atOneHz, say, storms);
  return storms.map((storm, place): Measurement => ({
    what: `${boardsOf(stormBoards)} back and acknowledged after a kill of ${storm.join(' and ')}`,
    value: stormSeconds[place] ?? Infinity,
    unit: 's',
    aim: { of: 'value', atMost: 60 },
  }));
};

/** Boards between two roasts, and the memory of connections on which nothing is sent. */
const measureIdleFleet = async (say: (line: string) => void): Promise<Measurement[]> => {
  const step = await measure(idleBoards, idle, say, []);
  return [
    { what: 'boards that send a batch a minute', value: step.boards, unit: 'boards' },
    ...stepLines(step, { unit: 'µs per board and second', samples: step.samplesPerSecond / step.boards }),
    {
      what: `broker memory, ${boardsOf(comparedBoards)} that send nothing`,
      value: await measureIdle(comparedBoards, say),
      unit: 'KB/connection',
      aim: { of: 'value', atMost: 60 },
    },
  ];
};

const usual = [
  { name: 'our broker, one INSERT a message', broker: 'own' },
  { name: 'Mosquitto, one INSERT a message', broker: 'mosquitto' },
] as const;

/** @param largest boards of our largest fleet at 1 Hz, where it was measured */
const measurePeers = async (largest: number | undefined, say: (line: string) => void): Promise<Measurement[]> => {
  const ours = await measure(comparedBoards, atOneHz, say);
  const all: Measurement[] = [];
  for (const { name, broker } of usual.filter((peer) => peer.broker === 'own' || hasMosquitto)) {
    const measureStep = async (boards: number): Promise<UsualStep> => {
      const step = await measureUsual(boards, broker, say);
      say(`${name}, ${boardsOf(boards)}: ${step.missing} samples missing, ${step.delaySeconds.toFixed(2)} s to a row`);
      say(
        `  broker ${micros(step.brokerMicros)}, consumer ${micros(step.consumerMicros)}, Postgres ${micros(step.postgresMicros)} µs a sample`,
      );
      return step;
    };
    const { first, held } = await grow(comparedBoards, measureStep, doesHold);
    all.push({
      what: `CPU without the boards, ${boardsOf(comparedBoards)} at 1 Hz`,
      value: ours.brokerMicros + ours.apiMicros + ours.postgresMicros,
      unit: 'µs/sample',
      against: { what: name, value: first.brokerMicros + first.consumerMicros + first.postgresMicros },
      aim: { of: 'ratio', atMost: 0.4 },
    });
    const boards = held?.boards ?? 0;
    all.push(
      largest === undefined
        ? { what: `boards at 1 Hz that the usual consumer holds, ${name}`, value: boards, unit: 'boards' }
        : {
            what: 'boards at 1 Hz, against those that the usual consumer holds',
            value: largest,
            unit: 'boards',
            against: { what: name, value: boards },
          },
    );
  }
  return all;
};

const run = async (say: (line: string) => void): Promise<Measurement[]> => {
  const all: Measurement[] = [];
  const has = (part: (typeof parts)[number], title: string): boolean => {
    if (wanted.includes(part)) say(title);
    return wanted.includes(part);
  };
  const slow = has('1hz', '1 Hz, 3 channels') ? await growOurs(atOneHz, say) : undefined;
  if (slow !== undefined)
    all.push(
      {
        what: 'boards at 1 Hz, p99 from publication to commit ≤ 1 s',
        value: slow.boards,
        unit: 'boards',
        aim: { of: 'value', atLeast: 19_000 },
      },
      ...stepLines(slow),
    );
  const fast = has('4hz', '4 Hz, 8 channels')
    ? await growOurs({ channels: 8, samplesPerBatch: fastHz }, say)
    : undefined;
  if (fast !== undefined)
    all.push(
      {
        what: 'samples/s at 4 Hz × 8 channels',
        value: fast.boards * fastHz,
        unit: 'samples/s',
        aim: { of: 'value', atLeast: 40_000 },
      },
      ...stepLines(fast),
    );
  if (has('fsync', `1 Hz, each sync of the disk ${slowFsyncMs} ms longer`)) {
    const step = await growOurs({ ...atOneHz, fsyncMs: slowFsyncMs }, say);
    all.push(
      {
        what: `boards at 1 Hz, each sync ${slowFsyncMs} ms longer`,
        value: step.boards,
        unit: 'boards',
        aim: { of: 'value', atLeast: 15_000 },
      },
      ...stepLines(step),
    );
  }
  if (has('storm', `${boardsOf(stormBoards)} reconnect`)) all.push(...(await measureStorms(say)));
  if (has('peers', `${boardsOf(comparedBoards)} beside a usual consumer`))
    all.push(...(await measurePeers(slow?.boards, say)));
  if (has('idle', `${boardsOf(idleBoards)}, idle`)) all.push(...(await measureIdleFleet(say)));
  if (slow !== undefined && fast !== undefined) {
    say('for deploy/docs/capacity.md:');
    for (const line of capacityLines(slow, fast)) say(line);
  }
  return all;
};

export default { title: 'A fleet of boards', onlyWhenNamed: true, run } satisfies Bench;
