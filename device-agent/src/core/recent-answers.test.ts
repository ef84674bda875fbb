import { describe, expect, it } from 'vitest';
import { createAnswerPace } from './answer-pace.ts';
import { createSpanJudge } from './reading-span.ts';
import { createRecentAnswers } from './recent-answers.ts';
import { createWiderReads } from './wider-read.ts';

describe('recent answers', () => {
  it('releases a length only when no answer to it can arrive any more', () => {
    let now = 0;
    const recent = createRecentAnswers(1000, () => now);
    const question = recent.ask(4, 1, 3);
    expect(recent.isFree(4)).toBe(false);
    expect(recent.isFree(6)).toBe(true);
    now = 900;
    question.answeredAt = now;
    now = 1500;
    expect(recent.isFree(4), 'its answer may come once more').toBe(false);
    now = 1901;
    expect(recent.isFree(4)).toBe(true);
  });

  it('recognises repeated bytes until the horizon has passed', () => {
    let now = 0;
    const recent = createRecentAnswers(1000, () => now);
    expect(recent.hear('2/1/3', 'ab')).toBe(false);
    expect(recent.hear('2/1/3', 'ab')).toBe(true);
    expect(recent.hear('2/2/3', 'ab')).toBe(false);
    now = 1001;
    expect(recent.hear('2/1/3', 'ab')).toBe(false);
  });

  it('accepts a repeated answer of an address only where most of its answers are repeats', () => {
    const recent = createRecentAnswers(1000, () => 0);
    for (let round = 0; round < 3; round++) {
      expect(recent.isSteady('a')).toBe(false);
      recent.answered('a', 'ab', true);
    }
    expect(recent.isSteady('a')).toBe(true);
    const question = recent.ask(4, 1, 3);
    expect(recent.isOwn('a', 'ab', question)).toBe(true);
    expect(recent.isOwn('a', 'cd', question), 'bytes of another place').toBe(false);
  });

  it('stays small on a line with always new transaction numbers', () => {
    let now = 0;
    const recent = createRecentAnswers(1000, () => now);
    for (let transaction = 0; transaction < 60_000; transaction++) {
      now += 10;
      recent.ask(transaction, 1, 3);
    }
    expect(Array.from({ length: 59_000 }, (_, one) => recent.isFree(one)).every(Boolean)).toBe(true);
  });
});

describe('wider reads', () => {
  const span = { unit: 1, table: 'holding', start: 10, count: 2 } as const;
  it('chooses the shortest free length within the limit of one request', () => {
    const wider = createWiderReads(() => 0);
    expect(wider.choose(span, 100, () => true)).toMatchObject({ start: 10, count: 2 });
    expect(wider.choose(span, 100, (count) => count > 4)).toMatchObject({ start: 10, count: 5 });
    expect(wider.choose(span, 4, (count) => count > 4)).toBeUndefined();
    expect(wider.choose({ ...span, table: 'coil' }, 100, (count) => count > 4)).toMatchObject({ start: 10, count: 10 });
  });
  it('adds addresses before the span when the machine refuses those after it, and retries an hour later', () => {
    let now = 0;
    const wider = createWiderReads(() => now);
    const refused = wider.choose(span, 100, (count) => count > 3);
    expect(refused).toMatchObject({ start: 10, count: 4 });
    if (refused) wider.refused(span, refused);
    const again = wider.choose(span, 100, (count) => count > 4);
    expect(again, 'one refusal may be the late answer to another question').toMatchObject({ start: 10, count: 5 });
    if (again) wider.refused(span, again);
    expect(wider.choose(span, 100, (count) => count > 4)).toMatchObject({ start: 7, count: 5 });
    expect(wider.choose({ ...span, start: 1 }, 100, (count) => count > 3)).toMatchObject({ start: 1, count: 4 });
    now = 3_600_001;
    expect(wider.choose(span, 100, (count) => count > 4)).toMatchObject({ start: 10, count: 5 });
  });
  it('attributes a refusal to the addresses after the span that were never read', () => {
    const wider = createWiderReads(() => 0);
    const refuse = (isFree: (count: number) => boolean) => {
      const wide = wider.choose(span, 100, isFree);
      if (wide) wider.refused(span, wide);
    };
    refuse((count) => count > 20);
    refuse((count) => count > 21);
    refuse((count) => count > 22);
    refuse((count) => count > 23);
    expect(wider.choose(span, 100, (count) => count === 5)).toMatchObject({ start: 10, count: 5 });
    expect(wider.choose(span, 100, (count) => count === 12)).toMatchObject({ start: 10, count: 12 });
  });
  it('chooses no length of the last request for another span', () => {
    const wider = createWiderReads(() => 0);
    wider.asked({ ...span, start: 40 }, { ...span, start: 40 });
    expect(wider.isDistinct(span)).toBe(false);
    expect(wider.choose(span, 100, () => true)).toMatchObject({ start: 10, count: 3 });
  });
  it('chooses no length that this span used from another address, nor an earlier length of another span', () => {
    const wider = createWiderReads(() => 0);
    wider.asked(span, { ...span, start: 9, count: 3 });
    for (const count of [4, 5]) wider.asked({ ...span, start: 40 }, { ...span, start: 40, count });
    expect(wider.choose(span, 100, (count) => count > 2)).toMatchObject({ start: 10, count: 6 });
  });
  it('stays within the valid addresses', () => {
    const wider = createWiderReads(() => 0);
    const last = { ...span, start: 65_534 };
    expect(wider.choose(last, 100, (count) => count > 3)).toMatchObject({ start: 65_532, count: 4 });
  });
});

describe('answer pace', () => {
  it('keeps the deadline of the map while it suffices, also when one answer in eight is late', () => {
    const pace = createAnswerPace(300, 1300);
    for (let round = 0; round < 40; round++) pace.took(round % 8 === 0 ? 800 : 20);
    expect(pace.deadlineMs()).toBe(300);
  });
  it('gives a slow machine its usual time, up to the longest', () => {
    const pace = createAnswerPace(300, 1300);
    expect(pace.isKnown()).toBe(false);
    pace.took(450);
    expect(pace.deadlineMs()).toBe(1000);
    for (let round = 0; round < 16; round++) pace.took(900);
    expect(pace.deadlineMs()).toBe(1300);
    for (let round = 0; round < 16; round++) pace.took(20);
    expect(pace.deadlineMs()).toBe(300);
  });
});

describe('span judge', () => {
  it('treats the first reading like any other', () => {
    const spans = createSpanJudge(0);
    expect(spans.accepts(1000)).toBe(false);
    expect(spans.accepts(10)).toBe(true);
  });
  it('learns the pace of a slow machine, and refuses readings that are slow even for it', () => {
    const spans = createSpanJudge(0);
    for (let round = 0; round < 2; round++) expect(spans.accepts(450)).toBe(false);
    for (let round = 0; round < 10; round++) expect(spans.accepts(450)).toBe(true);
    expect(spans.accepts(1500)).toBe(false);
  });
  it('does not mistake a starved process for a slow machine', () => {
    const spans = createSpanJudge(0);
    for (let round = 0; round < 10; round++) spans.accepts(10);
    for (let round = 0; round < 8; round++) expect(spans.accepts(600)).toBe(false);
  });
});
