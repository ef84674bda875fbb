import { describe, expect, it } from 'vitest';
import { matchesFilter } from './link.ts';

describe('matchesFilter', () => {
  it.each([
    ['roastery/v1/+/journal', 'roastery/v1/A/journal', true],
    ['roastery/v1/+/journal', 'roastery/v1/A/live', false],
    ['roastery/v1/+/journal', 'roastery/v1/A/B/journal', false],
    ['$share/ingest/roastery/v1/+/journal', 'roastery/v1/A/journal', true],
    ['roastery/#', 'roastery/v1/A/journal', true],
    ['roastery/v1/#', 'roastery/v1', true],
    ['roastery/v1/A', 'roastery/v1/A/journal', false],
    ['roastery/+', 'roastery', false],
  ])('%s and %s: %s', (filter, topic, matches) => expect(matchesFilter(filter, topic)).toBe(matches));
});
