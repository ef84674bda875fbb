import { describe, expect, it } from 'vitest';
import type { ImportedRoast } from '../imported-roast.ts';
import { artisan } from './artisan.ts';

/**
 * 600 s at 1 Hz with a controller whose duty is read until `dutyUntil`, and a burner that is set by hand throughout.
 */
const file = (dutyUntil: number): string => {
  const seconds = Array.from({ length: 600 }, (_, second) => second);
  return JSON.stringify({
    mode: 'C',
    timex: seconds,
    temp1: seconds.map(() => 220),
    temp2: seconds.map((second) => 90 + second / 5),
    timeindex: [10, 0, 0, 0, 0, 0, 590, 0],
    extradevices: [1],
    extratimex: [seconds],
    extraname1: ['SV'],
    extraname2: ['Duty'],
    extratemp1: [seconds.map(() => 185)],
    extratemp2: [seconds.map((second) => (second < dutyUntil ? 40 : -1))],
    etypes: ['Air', 'Drum', 'Damper', 'Burner', '--'],
    specialevents: [5, 200, 400],
    specialeventstype: [3, 3, 3],
    specialeventsvalue: [11, 6, 4],
    specialeventsStrings: ['', '', ''],
  });
};
const readArtisan = (text: string): ImportedRoast => artisan.read(new TextEncoder().encode(text), {}) as ImportedRoast;
const outputs = (dutyUntil: number) =>
  readArtisan(file(dutyUntil))
    .channels.filter(({ unit }) => unit === '%')
    .map(({ name, label, values }) => [name, label, values[450]]);

describe('burner of an Artisan file', () => {
  it('is the measured curve while it lasts', () => {
    expect(outputs(600)).toEqual([
      ['heat_power', 'Duty', 40],
      ['burner', 'Burner', 30],
    ]);
  });
  it('is the set value where the measured curve ends before the roast', () => {
    expect(outputs(20)).toEqual([
      ['duty', 'Duty', null],
      ['heat_power', 'Burner', 30],
    ]);
  });
});
