import type { MapUpdate } from '@roastery/contract/channel-check';
import { describe, expect, it } from 'vitest';
import { updateText } from './map-update-text.ts';

const update: MapUpdate = {
  map_id: 'loring-auto',
  from_rev: 1,
  to_rev: 2,
  exchanged: true,
  updated_at: '2026-11-27T21:00:00.000Z',
  state: 'running',
  reason: null,
};
const textOf = (over: Partial<MapUpdate>) => updateText('Big Drum', { ...update, ...over }, 'Nov 27, 2026');

describe('the notice of an updated map', () => {
  it('states that bean and exhaust were exchanged, and that new roasts are right once the board uses it', () => {
    expect(textOf({})).toBe(
      'The map of “Big Drum” was corrected on Nov 27, 2026: bean and exhaust temperature were exchanged. New roasts are recorded correctly.',
    );
    expect(textOf({ state: 'waiting', reason: 'a roast is running' })).toBe(
      'The map of “Big Drum” was corrected on Nov 27, 2026: bean and exhaust temperature were exchanged. Its board has not started to use it yet: a roast is running.',
    );
  });

  it('states that a board still uses the earlier one, and why', () => {
    expect(textOf({ state: 'reverted', reason: 'the machine did not answer reliably with this map' })).toMatch(
      /still uses the earlier one, in which .* are exchanged: the machine did not answer reliably with this map\.$/,
    );
  });

  it('names the revision of an update for another reason', () => {
    expect(textOf({ exchanged: false })).toBe('The map of “Big Drum” was updated to revision 2 on Nov 27, 2026.');
    expect(textOf({ exchanged: false, state: 'refused', reason: 'the map file on the board is newer' })).toBe(
      'The map of “Big Drum” was updated to revision 2 on Nov 27, 2026. Its board still uses the earlier one: the map file on the board is newer.',
    );
  });
});
