import { describe, expect, it } from 'vitest';
import type { AgentStatements } from './agent-statements.ts';
import type { NumberedReading } from './answered-readings.ts';
import { judgeAnswers, type Judgement } from './judge-answers.ts';

const reading = (number: number, monoMs: number, value = 20): NumberedReading => ({ number, monoMs, values: [value] });
const nothingSaid: AgentStatements = { dropped: [], syncedThrough: [], gathered: [], refusals: [], droppedForRoom: [] };
const kill = { monoMs: 10_000, endedMs: 10_020 };

/** Numbers of the readings of each class that is not empty. */
const classesOf = ({ excused, ...wrong }: Judgement): Record<string, number[]> =>
  Object.fromEntries(
    Object.entries({ ...excused, ...wrong }).flatMap(([name, readings]) =>
      readings.length === 0 ? [] : [[name, readings.map(({ number }) => number)]],
    ),
  );
const classOfMissing = (monoMs: number, said: Partial<AgentStatements> = {}) =>
  Object.keys(classesOf(judgeAnswers([reading(1, monoMs)], [], [kill], { ...nothingSaid, ...said })));

describe('judgeAnswers', () => {
  it('finds nothing where each answer is stored once, at its time', () => {
    const answers = [reading(1, 1000), reading(2, 1100)];
    expect(classesOf(judgeAnswers(answers, [reading(1, 990), reading(2, 1101)], [kill], nothingSaid))).toEqual({});
  });

  it('names readings that are stored twice, at another time, with other values, or were never answered', () => {
    const answers = [reading(1, 1000), reading(2, 1100), reading(3, 1200)];
    const stored = [reading(1, 1000), reading(1, 1000), reading(2, 1400), reading(3, 1200, 21), reading(4, 1300)];
    expect(classesOf(judgeAnswers(answers, stored, [], nothingSaid))).toEqual({
      doubled: [1],
      shifted: [2],
      different: [3],
      invented: [4],
    });
  });

  it('counts a missing reading as lost, unless a kill followed within the sync interval', () => {
    expect(classOfMissing(6990)).toEqual(['lost']);
    expect(classOfMissing(7010)).toEqual(['unsynced']);
    expect(classOfMissing(10_010)).toEqual(['unheard']);
    expect(classOfMissing(10_200)).toEqual(['lost']);
  });

  it('allows the slow interval only where the board had reported the slow pace', () => {
    const late = { monoMs: 80_000, endedMs: 80_020 };
    const missing = (monoMs: number, said: Partial<AgentStatements>) =>
      Object.keys(classesOf(judgeAnswers([reading(1, monoMs)], [], [late], { ...nothingSaid, ...said })));
    const gathered = [{ fromMs: 10_000, toMs: 30_000 }];
    expect(missing(20_000, { gathered })).toEqual(['unsynced']);
    expect(missing(17_000, { gathered })).toEqual(['lost']);
    expect(missing(31_000, { gathered })).toEqual(['lost']);
    expect(missing(20_000, { gathered, syncedThrough: [20_100] })).toEqual(['lost']);
  });

  it('counts a missing reading as lost when the board had reported it as synced', () => {
    expect(classOfMissing(9000, { syncedThrough: [8900] })).toEqual(['unsynced']);
    expect(classOfMissing(9000, { syncedThrough: [9100] })).toEqual(['lost']);
    expect(classOfMissing(9000, { syncedThrough: [10_900] }), 'said by the next program').toEqual(['unsynced']);
  });

  it('excuses a synced reading only where the server has a gap for its number', () => {
    const answers = [reading(1, 1000), reading(2, 1100)];
    const said = { ...nothingSaid, syncedThrough: [1200] };
    expect(classesOf(judgeAnswers(answers, [], [kill], said, new Set([2])))).toEqual({ reported: [2], lost: [1] });
  });

  it('excuses readings that the board dropped or its disk refused only where the board reported it', () => {
    expect(classOfMissing(2000, { dropped: [{ fromMs: 1990, toMs: 2400, reason: 'busy' }] })).toEqual(['dropped']);
    expect(classOfMissing(2500, { dropped: [{ fromMs: 1990, toMs: 2400, reason: 'busy' }] })).toEqual(['lost']);
    expect(classOfMissing(2000, { refusals: [{ fromMs: 2100, toMs: Infinity }] })).toEqual(['refused']);
    expect(classOfMissing(2000, { refusals: [{ fromMs: 2100, toMs: 4000 }] }), 'it took entries again').toEqual([
      'lost',
    ]);
    expect(classOfMissing(2000, { refusals: [{ fromMs: 8000, toMs: Infinity }] }), 'it refused later').toEqual([
      'lost',
    ]);
  });
});
