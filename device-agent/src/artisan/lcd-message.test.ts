import { formatDuration } from '@roastery/roasting/units';
import { describe, expect, it } from 'vitest';
import { celsiusOf, createChargeEar, readLcdMessage } from './lcd-message.ts';

describe('readLcdMessage', () => {
  it.each([
    ['{"data":{"bt":"187.4","et":"203.0"}}', { bean: 187.4, exhaust: 203, seconds: undefined }],
    ['{"data":{"bt":"187","et":"uu"}}', { bean: 187, exhaust: 'no_value', seconds: undefined }],
    ['{"data":{"bt":"u.u","et":"-.-"}}', { bean: 'no_value', exhaust: 'no_value', seconds: undefined }],
    ['{"data":{"bt":"--","et":""}}', { bean: 'no_value', exhaust: 'no_value', seconds: undefined }],
    ['{"data":{"bt":"-3.5"}}', { bean: -3.5, exhaust: undefined, seconds: undefined }],
    ['{"data":{"time":"03:12"}}', { bean: undefined, exhaust: undefined, seconds: 192 }],
    ['{"data":{"time":"1:03:12"}}', { bean: undefined, exhaust: undefined, seconds: 3792 }],
    ['{"data":{"time":"-00:05"}}', { bean: undefined, exhaust: undefined, seconds: -5 }],
    ['{"data":{"bt":"187.4","et":"203.0","time":"00:00"}}', { bean: 187.4, exhaust: 203, seconds: 0 }],
    ['{"data":{"time":"--"}}', { bean: undefined, exhaust: undefined, seconds: undefined }],
    ['{"data":{},"alert":{"text":"x"}}', { bean: undefined, exhaust: undefined, seconds: undefined }],
    ['{"alert":{"text":"x"}}', undefined],
    ['{"data":{"bt":187.4}}', undefined],
    ['[1]', undefined],
    ['', undefined],
    ['{"data":', undefined],
  ])('reads %s', (text, message) => {
    expect(readLcdMessage(text)).toEqual(message);
  });
});

/**
 * What Artisan displays after a number of seconds: its rule in util.py:183-200 of neuralldev/tilauscope_fork@30fc858
 * (`stringfromseconds`), used by canvas.py:7389-7391 and sent by canvas.py:4565-4586 under the keys `bt`, `et` and `time`.
 */
const displayedTimes = [
  [-5, '-00:05', -5],
  [0, '00:00', 0],
  [192, '03:12', 192],
  [3600, '60:00', 3600],
  [3601, '01h00', 3600],
  [3930, '01h06', 3960],
  [7325, '02h02', 7320],
] as const;

describe('Artisan’s timer', () => {
  it.each(displayedTimes)('%i s is displayed as %s and read as %i s', (seconds, text, read) => {
    expect(readLcdMessage(JSON.stringify({ data: { time: text } }))?.seconds).toBe(read);
    expect(Math.abs(read - seconds)).toBeLessThanOrEqual(seconds > 3600 ? 30 : 0);
  });
});

describe('celsiusOf', () => {
  it('is null, never 0, without a displayed number, and outside a probe’s range', () => {
    expect(celsiusOf('no_value', 'C')).toBeNull();
    expect(celsiusOf(undefined, 'C')).toBeNull();
    expect(celsiusOf(9999, 'C')).toBeNull();
    expect(celsiusOf(0, 'C')).toBe(0);
    expect(celsiusOf(392, 'F')).toBe(200);
  });
});

/** Ticks of a timer, a second apart; a `-` is a second without one. */
const heard = (ticks: readonly (number | '-')[], openedSecondsBefore = 10): number[] => {
  const ear = createChargeEar();
  ear.opened(-openedSecondsBefore * 1000);
  return ticks.flatMap((tick, second) => (tick !== '-' && ear.hears(tick, second * 1000) ? [second] : []));
};
const run = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, k) => from + k);

/** Artisan’s timer up to two hours. */
const displayed = (seconds: number) =>
  seconds > 3600 ? `01h${String(Math.round(seconds / 60) - 60).padStart(2, '0')}` : formatDuration(seconds);

describe('createChargeEar: charge by Artisan’s timer', () => {
  it('finds the charge between START and DROP, and no other start of the timer', () => {
    const ticks = [...run(0, 60), ...run(0, 600), ...run(0, 120)];
    expect(heard(ticks)).toEqual([61]);
  });
  it('finds the charge at the end of a countdown', () => {
    expect(heard([0, 30, 29, 28, 27, 26, ...run(0, 30)])).toEqual([6]);
  });
  it('finds the charge after more than an hour of warming up', () => {
    const ticks = [...run(0, 3700), ...run(0, 60)].map(
      (seconds) => readLcdMessage(JSON.stringify({ data: { time: displayed(seconds) } }))?.seconds ?? '-',
    );
    expect(heard(ticks)).toEqual([3701]);
  });
  it('finds the charge of the next roast after a pause', () => {
    expect(heard([...run(0, 60), ...run(0, 20), '-', '-', '-', '-', ...run(0, 30), ...run(0, 5)])).toEqual([61, 117]);
  });
  it('finds no charge when it connected after START', () => {
    expect(heard([...run(200, 300), ...run(0, 20)])).toEqual([]);
    expect(heard([...run(0, 300), ...run(0, 20)], 1)).toEqual([]);
  });
  it('finds no charge when the timer paused before it restarted', () => {
    expect(heard([...run(0, 60), '-', '-', '-', ...run(0, 20)])).toEqual([]);
  });
});
