import { describe, expect, it } from 'vitest';
import { doubtsOf, figuresOf, type MachineFigures, type RoastFigures } from './plausibility.ts';
import { readRoastFile } from './read-roast-file.ts';

const usual: RoastFigures = {
  duration_seconds: 600,
  first_crack_c: 196,
  drop_c: 212,
  turn_c: 90,
  turn_seconds: 70,
  begins_at_seconds: 0,
};
const problems = (figures: Partial<RoastFigures>, machine?: MachineFigures) =>
  doubtsOf({ ...usual, ...figures }, machine).map(({ problem }) => problem);
const sentences = (figures: Partial<RoastFigures>, machine?: MachineFigures) =>
  doubtsOf({ ...usual, ...figures }, machine)
    .map(({ sentence }) => sentence)
    .join(' ');

describe('what is unlikely about a roast', () => {
  it('a usual one, and one of which little is known: nothing', () => {
    expect(problems({})).toEqual([]);
    expect(
      problems({ duration_seconds: null, first_crack_c: null, drop_c: null, turn_c: null, turn_seconds: null }),
    ).toEqual([]);
  });

  it.each([
    [{ duration_seconds: 119 }, ['duration'], /lasts 1:59, less than 2 minutes/],
    [{ duration_seconds: 3601 }, ['duration'], /lasts 60:01, more than an hour/],
    [{ first_crack_c: 120 }, ['first_crack'], /First crack is at 120 °C \(248 °F\); beans crack between 150 °C/],
    [{ first_crack_c: 260 }, ['first_crack'], /260 °C \(500 °F\)/],
    [{ drop_c: 80 }, ['drop'], /dropped at 80 °C \(176 °F\), below their turning point at 90 °C/],
    [{ duration_seconds: 60 }, ['duration', 'drop'], /1:00 after the charge, before the beans have turned/],
    [{ begins_at_seconds: 1_780_834 }, ['time_offset'], /The first sample is 29680:34 after the zero/],
  ] as const)('%j: %j', (figures, expected, words) => {
    expect(problems(figures)).toEqual(expected);
    expect(sentences(figures)).toMatch(words);
  });

  const sampleRoaster: MachineFigures = {
    durationsSeconds: [92, 95, 101, 104, 99],
    firstCracksC: [141, 143, 139, 142, 144],
  };

  it('five roasts of the machine count instead of the general limits, and are named', () => {
    expect(problems({ duration_seconds: 100, first_crack_c: 142, turn_seconds: 20 }, sampleRoaster)).toEqual([]);
    expect(problems({}, sampleRoaster)).toEqual(['duration', 'first_crack']);
    expect(sentences({}, sampleRoaster)).toMatch(/lasts 10:00; 5 other roasts of this machine last 1:32 to 1:44/);
    expect(sentences({}, sampleRoaster)).toMatch(/in 5 other roasts of this machine it is at 139 °C/);
  });

  it('four roasts of the machine say nothing', () => {
    const four = { durationsSeconds: sampleRoaster.durationsSeconds.slice(1), firstCracksC: [] };
    expect(problems({ duration_seconds: 100, turn_seconds: 20 }, four)).toEqual(['duration']);
    expect(problems({}, four)).toEqual([]);
  });

  it('a roast like one that the machine has made before is not asked again', () => {
    const once = { durationsSeconds: [600, 610, 590, 605, 620, 5400], firstCracksC: [] };
    expect(problems({ duration_seconds: 5300 }, once)).toEqual([]);
    expect(problems({ duration_seconds: 5500 }, once)).toEqual(['duration']);
  });
});

it('figures of a file: turn, first crack and drop from its curve', async () => {
  const rows = Array.from({ length: 660 }, (_, second) => {
    const bean = second < 90 ? 200 - (second * 11) / 9 : 90 + (second - 90) / 5;
    const event = { 0: 'charge', 60: 'drop', 480: 'fcs' }[second] ?? '';
    return `${second},${bean.toFixed(1)},${event}`;
  });
  const { roast } = await readRoastFile(new TextEncoder().encode(['Time (s),BT,Event', ...rows].join('\n')), {});
  expect(figuresOf(roast)).toMatchObject({ duration_seconds: 60, turn_c: 90, turn_seconds: 90, begins_at_seconds: 0 });
});
