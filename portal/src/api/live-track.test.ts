import { describe, expect, it } from 'vitest';
import { addReading, addSamples, emptyTrack } from './live-track.ts';
import { liveStateOf } from './use-live.ts';

const reading = (seq: number, mono: number, bean: number | null, epoch = 'a') => ({
  epoch,
  seq,
  mono,
  values: { bean_temp: bean },
});

describe('live track of a machine', () => {
  it('keeps one copy of a sample that arrives live and again with the journal', () => {
    const track = emptyTrack();
    addReading(track, reading(10, 1000, 180));
    addReading(track, reading(12, 1500, 181));
    const { version } = track;
    addSamples(track, {
      epoch: 'a',
      seq: [10, 11, 12],
      mono: [1000, 1250, 1500],
      channels: { bean_temp: [180, 180.5, 181] },
    });
    expect(track.seq).toEqual([10, 11, 12]);
    expect(track.channels['bean_temp']).toEqual([180, 180.5, 181]);
    expect(track.version).toBe(version + 1);
    addReading(track, reading(12, 1500, 181));
    expect(track.version).toBe(version + 1);
  });

  it('shows a gap where a channel was not read, never a value of its neighbour', () => {
    const track = emptyTrack();
    addReading(track, reading(1, 0, 20));
    addReading(track, { epoch: 'a', seq: 2, mono: 250, values: { exhaust_temp: 150 } });
    expect(track.channels).toEqual({ bean_temp: [20, null], exhaust_temp: [null, 150] });
  });

  it('restarts when the board was re-flashed or rebooted', () => {
    const track = emptyTrack();
    addReading(track, reading(500, 90_000, 200));
    addReading(track, reading(1, 40, 25, 'b'));
    expect(track.seq).toEqual([1]);
    addReading(track, reading(2, 80_000, 25, 'b'));
    addReading(track, reading(3, 12, 26, 'b'));
    expect(track.mono).toEqual([12]);
  });

  it('live track: keeps the curve when the board continues in another stream', () => {
    const track = emptyTrack();
    addReading(track, reading(500, 90_000, 200));
    addReading(track, reading(503, 91_000, 201, 'b'));
    expect([track.epoch, track.seq]).toEqual(['b', [500, 503]]);
  });

  it('live track: restarts with the backlog of a new stream, before its first reading', () => {
    const track = emptyTrack();
    addReading(track, reading(500, 90_000, 200, 'a'));
    addSamples(track, { epoch: 'b', seq: [7, 8], mono: [10, 20], channels: { bean_temp: [1, 2] } });
    expect(track.epoch).toBe('b');
    expect(track.seq).toEqual([7, 8]);
    addSamples(track, { epoch: 'c', seq: [], mono: [], channels: {} });
    expect(track.epoch).toBe('b');
  });
});

describe('the state of a live view', () => {
  it('is never live without a fresh reading', () => {
    expect(liveStateOf(null, null, null, 0)).toBe('connecting');
    expect(liveStateOf(true, 'online', 0, 60)).toBe('live');
    expect(liveStateOf(true, 'online', 6, 60)).toBe('stale');
    expect(liveStateOf(true, 'offline', 6, 60)).toBe('offline');
    expect(liveStateOf(true, 'never_connected', null, 0)).toBe('offline');
    expect(liveStateOf(false, 'online', 0, 0)).toBe('offline');
  });

  it('is stale when the machine was already silent before the page opened', () => {
    expect(liveStateOf(true, 'online', null, 5)).toBe('connecting');
    expect(liveStateOf(true, 'online', null, 6)).toBe('stale');
  });
});
