import { gapReasons } from '@roastery/contract/roast-curves';
import { expect, it } from 'vitest';
import { roastGapText } from './gap-texts.ts';

it('roastGapText: contains duration, start and reason of a gap', () => {
  expect(roastGapText({ from_seconds: 200.2, to_seconds: 214.2, reason: 'board_off' })).toBe(
    'No readings for 0:14 from 3:20: the board was off',
  );
  const sentences = gapReasons.map((reason) => roastGapText({ from_seconds: 60, to_seconds: 125, reason }));
  expect(new Set(sentences).size).toBe(gapReasons.length);
});
