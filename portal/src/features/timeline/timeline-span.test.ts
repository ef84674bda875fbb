import { describe, expect, it } from 'vitest';
import { localTimeOf } from '../../format/zoned-time.ts';
import {
  cursorAfter,
  dayMs,
  markedIn,
  moved,
  readSpan,
  spanAfter,
  ticksOf,
  withRoom,
  zoomed,
} from './timeline-span.ts';

const at = (iso: string): number => Date.parse(iso);
const day = { from: at('2026-03-02T00:00:00Z'), to: at('2026-03-03T00:00:00Z') };

describe('timeline span', () => {
  it('reads the span of an address, and ignores an invalid one', () => {
    expect(readSpan('2026-03-02T00:00:00.000Z', '2026-03-03T00:00:00.000Z')).toEqual(day);
    expect(readSpan('2026-03-03T00:00:00.000Z', '2026-03-02T00:00:00.000Z')).toBeUndefined();
    expect(readSpan('1900-01-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z')).toBeUndefined();
    expect(readSpan('yesterday', undefined)).toBeUndefined();
  });
  it('is marked from where a range began to the cursor, in either direction', () => {
    expect(markedIn({ anchor: day.to, cursor: day.from })).toEqual(day);
    expect(markedIn({ anchor: day.from, cursor: day.from })).toBeNull();
    expect(markedIn({ anchor: null, cursor: day.from })).toBeNull();
    expect(markedIn({ anchor: day.from, cursor: null })).toBeNull();
  });
  it('is walked and shown by keys; others do nothing', () => {
    const middle = (day.from + day.to) / 2;
    expect(cursorAfter('ArrowRight', false, middle, day)).toBe(middle + dayMs / 200);
    expect(cursorAfter('ArrowLeft', true, middle, day)).toBe(middle - dayMs / 20);
    expect(cursorAfter('ArrowRight', false, day.to, day)).toBe(day.to);
    expect(cursorAfter('Home', false, middle, day)).toBe(day.from);
    expect(spanAfter('PageDown', middle, day)).toEqual(moved(day, 0.5));
    expect(spanAfter('+', middle, day)).toEqual(zoomed(day, 0.5, middle));
    expect([cursorAfter('a', false, middle, day), spanAfter('a', middle, day)]).toEqual([undefined, undefined]);
  });
  it('zooms around a time, which keeps its position, down to a minute and up to 400 days', () => {
    const around = day.from + dayMs / 4;
    const near = zoomed(day, 0.5, around);
    expect([near.to - near.from, (around - near.from) / (near.to - near.from)]).toEqual([dayMs / 2, 0.25]);
    const nearest = zoomed(day, 1e-9, around);
    expect(nearest.to - nearest.from).toBe(60_000);
    const widest = zoomed(day, 1e9, around);
    expect(widest.to - widest.from).toBe(400 * dayMs);
  });
  it('moves by a share of itself and adds a margin', () => {
    expect(moved(day, -0.5)).toEqual({ from: day.from - dayMs / 2, to: day.to - dayMs / 2 });
    expect(withRoom(day)).toEqual({ from: day.from - dayMs / 4, to: day.to + dayMs / 4 });
  });
});

const offsetIn = (zone: string) => (ms: number) =>
  Date.parse(`${localTimeOf(ms, zone)}:00Z`) - Math.floor(ms / 60_000) * 60_000;

const shown = (span: typeof day, pixels: number, zone: string) =>
  ticksOf(span, pixels, offsetIn(zone)).at.map((ms) => localTimeOf(ms, zone).slice(5));

describe('ticks of the timeline', () => {
  it('are at round times of the roastery’s clock', () => {
    expect(shown(day, 800, 'Asia/Kolkata')).toEqual([
      '03-02T06:00',
      '03-02T09:00',
      '03-02T12:00',
      '03-02T15:00',
      '03-02T18:00',
      '03-02T21:00',
      '03-03T00:00',
      '03-03T03:00',
    ]);
    const week = { from: day.from, to: day.from + 7 * dayMs };
    expect(shown(week, 800, 'America/Bogota')).toEqual(
      ['03-02', '03-03', '03-04', '03-05', '03-06', '03-07', '03-08'].map((one) => `${one}T00:00`),
    );
  });
  it('stay at midnight over the day on which clocks are set forward', () => {
    const spring = { from: at('2026-03-27T12:00:00Z'), to: at('2026-03-31T12:00:00Z') };
    expect(shown(spring, 600, 'Europe/Lisbon')).toEqual(
      ['03-28', '03-29', '03-30', '03-31'].map((one) => `${one}T00:00`),
    );
  });
  it('are in seconds when a minute is shown, and never more than fit', () => {
    const near = { from: day.from, to: day.from + 60_000 };
    expect(ticksOf(near, 800, () => 0).step).toBe(10_000);
    expect(ticksOf({ from: day.from, to: day.from + 400 * dayMs }, 300, () => 0).at.length).toBeLessThan(12);
  });
});
