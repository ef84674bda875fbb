import { defaultControlPoints } from '@roastery/roasting/recipe/control-profile';
import { describe, expect, it } from 'vitest';
import {
  draftOf,
  moved,
  problemsOf,
  resultingCount,
  storedOf,
  valuesAt,
  withNext,
  withPointAt,
  type DraftPoint,
} from './control-points.ts';

const start = draftOf(
  defaultControlPoints.map(({ timeSeconds, drumRpm, ...point }) => ({ time: timeSeconds, drum: drumRpm, ...point })),
);
const times = (draft: readonly DraftPoint[]) => draft.map(({ time }) => time);

describe('control points in the form', () => {
  it('are 721 points when 0 to 720 s are interpolated, else those entered [P119]', () => {
    expect(resultingCount(start, true)).toBe(721);
    expect(resultingCount(start, false)).toBe(2);
  });

  it('are added a minute after the last, with 50, 60 and 60', () => {
    expect(withNext(start).at(-1)).toMatchObject({ time: 780, burner: 50, exhaust: 60, drum: 60 });
    expect(withNext([]).at(-1)).toMatchObject({ time: 0 });
  });

  it('can be inserted on the line, or at the pointer', () => {
    const [, middle] = withPointAt(start, 360, { burner: 70 });
    expect(middle).toMatchObject({ time: 360, burner: 70, exhaust: 60, drum: 45 });
    expect(withPointAt(start, 720, {})).toHaveLength(2);
  });

  it('stay between their neighbours and within the limits', () => {
    const three = withPointAt(start, 360, {});
    const key = three[1]?.key ?? '';
    expect(times(moved(three, key, { time: 2000 }))).toEqual([0, 719, 720]);
    expect(times(moved(three, key, { time: -50 }))).toEqual([0, 1, 720]);
    expect(moved(three, key, { burner: 140, exhaust: 12.4, drum: 61.6 })[1]).toMatchObject({
      burner: 100,
      exhaust: 30,
      drum: 62,
    });
    expect(times(moved(start, 'saved-0', { time: -5 }))).toEqual([0, 720]);
  });

  it('keep their value until the next one without interpolation', () => {
    expect(valuesAt(start, 360, true)).toEqual({ burner: 50, exhaust: 60, drum: 45 });
    expect(valuesAt(start, 360, false)).toEqual({ burner: 100, exhaust: 30, drum: 60 });
    expect(valuesAt(start, 9999, true)).toEqual({ burner: 0, exhaust: 90, drum: 30 });
    expect(valuesAt([], 0, true)).toBeNull();
  });

  it('report errors by point', () => {
    const bad = start.map((point, i) => (i === 0 ? { ...point, burner: 101, exhaust: null } : { ...point, time: 0 }));
    expect(problemsOf(bad)).toEqual([
      { key: 'saved-0', field: 'burner', message: 'Burner: 0-100%' },
      { key: 'saved-0', field: 'exhaust', message: 'Exhaust: 30-90%' },
      { key: 'saved-1', field: 'time', message: 'Time: two points at the same time' },
    ]);
    expect(problemsOf(start.slice(1))).toEqual([
      { key: null, field: null, message: 'At least 2 control points are required' },
    ]);
  });

  it('are saved in chronological order', () => {
    expect(storedOf([...start].reverse()).map(({ time }) => time)).toEqual([0, 720]);
  });
});
