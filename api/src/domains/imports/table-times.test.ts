import { describe, expect, it } from 'vitest';
import { readRoastFile } from './read-roast-file.ts';

const seconds = Array.from({ length: 661 }, (_, second) => second);
const beanAt = (second: number): number =>
  second < 30 ? 200 : second < 90 ? 200 - ((second - 30) * 110) / 60 : 90 + ((second - 90) * 122) / 570;
const events: Readonly<Record<number, string>> = { 30: 'charge', 480: 'first crack', 630: 'drop' };

interface Notation {
  readonly head: string;
  readonly cell: (second: number) => string;
}
const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
const ofDay = (startS: number, second: number): string => {
  const at = (startS + second) % 86_400;
  return `${two(at / 3600)}:${two((at % 3600) / 60)}:${two(at % 60)}`;
};
const halfDay = (startS: number, second: number): string => {
  const at = (startS + second) % 86_400;
  const hour = Math.floor(at / 3600);
  return `${hour % 12 === 0 ? 12 : hour % 12}:${two((at % 3600) / 60)}:${two(at % 60)} ${hour < 12 ? 'AM' : 'PM'}`;
};
const iso = (start: string, second: number): string => new Date(Date.parse(start) + second * 1000).toISOString();
const morning = 9 * 3600;
const lateEvening = 23 * 3600 + 55 * 60;

const elapsed: Readonly<Record<string, Notation>> = {
  seconds: { head: 'Time (s)', cell: String },
  milliseconds: { head: 'time_ms', cell: (second) => String(second * 1000) },
  minutes: { head: 'Time (min)', cell: (second) => (second / 60).toFixed(4) },
  'minutes in words': { head: 'elapsed_minutes', cell: (second) => (second / 60).toFixed(4) },
  hours: { head: 'Elapsed hours', cell: (second) => (second / 3600).toFixed(6) },
  'm:ss': { head: 'm:s', cell: (second) => `${Math.floor(second / 60)}:${two(second % 60)}` },
  'h:mm:ss': { head: 'Elapsed', cell: (second) => ofDay(0, second) },
  'rounded up to 60': {
    head: 'Time',
    cell: (second) =>
      second > 0 && second % 60 === 0 ? `${two(second / 60 - 1)}:60` : `${two(second / 60)}:${two(second % 60)}`,
  },
};
const walls: Readonly<Record<string, Notation & { readonly start: string | null }>> = {
  clock: { head: 'Time', cell: (second) => ofDay(morning, second), start: null },
  'clock past midnight': { head: 'Clock', cell: (second) => ofDay(lateEvening, second), start: null },
  'am and pm past noon': { head: 'Time', cell: (second) => halfDay(12 * 3600 - 300, second), start: null },
  'am and pm past midnight': { head: 'Time', cell: (second) => halfDay(lateEvening, second), start: null },
  'ISO in UTC': {
    head: 'Timestamp',
    cell: (second) => iso('2026-06-07T12:09:10Z', second),
    start: '2026-06-07T12:09:10.000Z',
  },
  'ISO with an offset': {
    head: 'datetime',
    cell: (second) => `${iso('2026-06-07T14:09:10Z', second).slice(0, 19)}+02:00`,
    start: '2026-06-07T12:09:10.000Z',
  },
  'ISO without a zone, past midnight': {
    head: 'Timestamp',
    cell: (second) => iso('2026-06-07T23:55:00Z', second).slice(0, 19),
    start: '2026-06-07T21:55:00.000Z',
  },
  'month first, past the 12th': {
    head: 'Date',
    cell: (second) => {
      const at = iso('2026-03-12T23:55:00Z', second);
      return `${Number(at.slice(5, 7))}/${Number(at.slice(8, 10))}/2026 ${at.slice(11, 19)}`;
    },
    start: '2026-03-12T22:55:00.000Z',
  },
  'unix seconds': {
    head: 'unix_time',
    cell: (second) => String(1_780_834_150 + second),
    start: '2026-06-07T12:09:10.000Z',
  },
  'unix milliseconds': {
    head: 'timestamp',
    cell: (second) => String(1_780_834_150_000 + second * 1000),
    start: '2026-06-07T12:09:10.000Z',
  },
};

const tableOf = (columns: readonly Notation[]): Uint8Array => {
  const rows = seconds.map((second) =>
    [...columns.map(({ cell }) => cell(second)), beanAt(second).toFixed(2), events[second] ?? ''].join(';'),
  );
  return new TextEncoder().encode([[...columns.map(({ head }) => head), 'BT', 'Event'].join(';'), ...rows].join('\n'));
};
const readTimes = async (columns: readonly Notation[]) => {
  const { roast } = await readRoastFile(tableOf(columns), { time_zone: 'Europe/Berlin' });
  const first = roast.timesSeconds[0] ?? 0;
  const at = (kind: string) => Math.round((roast.marks.find((mark) => mark.kind === kind)?.timeSeconds ?? NaN) - first);
  return {
    marks: [at('charge'), at('first_crack'), at('drop')],
    samples: roast.timesSeconds.length,
    start: roast.recordedAtMs === null ? null : new Date(roast.recordedAtMs).toISOString(),
  };
};
const whole = { marks: [30, 480, 630], samples: 661 };

describe('times of a table', () => {
  it.each(Object.keys(elapsed))('in %s are those of the roast', async (name) => {
    const notation = elapsed[name];
    if (notation === undefined) throw new RangeError(name);
    expect(await readTimes([notation])).toEqual({ ...whole, start: null });
  });

  it.each(Object.keys(walls))('as %s count from the first, and say when it began', async (name) => {
    const wall = walls[name];
    if (wall === undefined) throw new RangeError(name);
    expect(await readTimes([wall])).toEqual({ ...whole, start: wall.start });
  });

  it.each([
    ['forward', 300],
    ['back', -120],
    ['back over an hour', -3600],
  ])('beside an elapsed time: a clock that is set %s during the roast changes nothing', async (_way, byS) => {
    for (const [place, [name, wall]] of Object.entries(walls).entries()) {
      // Set back, all its rows are of the 12th: nothing says which figure is the month.
      if (name.startsWith('month first') && byS < 0) continue;
      const set: Notation = { head: 'Timestamp', cell: (second) => wall.cell(second > 300 ? second + byS : second) };
      for (const time of ['seconds', 'minutes', 'm:ss'].flatMap((kind) => elapsed[kind] ?? [])) {
        const columns = place % 2 === 0 ? [set, time] : [time, set];
        expect([name, time.head, await readTimes(columns)]).toEqual([name, time.head, { ...whole, start: wall.start }]);
      }
    }
  });

  it('a day beside a clock says when the roast began', async () => {
    const day: Notation = { head: 'Date', cell: () => '07.06.2026' };
    const clock: Notation = { head: 'Time', cell: (second) => ofDay(morning, second) };
    expect(await readTimes([day, clock])).toEqual({ ...whole, start: '2026-06-07T07:00:00.000Z' });
  });

  it('an elapsed time that begins again counts less than a clock', async () => {
    const restarting: Notation = { head: 'm:s', cell: (second) => `0:${two(second % 60)}` };
    const clock: Notation = { head: 'Clock', cell: (second) => ofDay(morning, second) };
    expect(await readTimes([restarting, clock])).toEqual({ ...whole, start: null });
  });
});
