import { gapReasons } from '@roastery/contract/curve-gaps';
import { expect, it } from 'vitest';
import { gapSentence } from './gap-words.ts';

it('says how long, from when and why nothing was recorded', () => {
  expect(gapSentence({ from_seconds: 200.2, to_seconds: 214.2, reason: 'board_off' })).toBe(
    'No samples for 0:14 from 3:20: the board was off',
  );
  const sentences = gapReasons.map((reason) => gapSentence({ from_seconds: 60, to_seconds: 125, reason }));
  expect(new Set(sentences).size).toBe(gapReasons.length);
});
