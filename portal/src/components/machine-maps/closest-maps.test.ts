import type { MapSummary } from '@roastery/contract/machine-maps';
import { describe, expect, it } from 'vitest';
import { closestMaps } from './closest-maps.ts';

const map = (maker: string, model: string): MapSummary => ({
  id: `${maker}-${model}`.toLowerCase(),
  rev: 1,
  maker,
  model,
  link_kind: 'tcp',
  capacity_kg: null,
  channels: 2,
  outputs: 0,
  verified: 'none',
  origin: 'catalogue',
  owner_name: null,
  saved_at: null,
});
const maps = [map('Besca', 'BSC'), map('Bühler', 'RM 20'), map('Bühler', 'RM 60'), map('Loring', 'Auto')];
const found = (typed: string) => closestMaps(maps, typed).map(({ id }) => id);

describe('closest maps', () => {
  it('finds makers despite typing errors, accents and word order', () => {
    expect(found('Bueler')).toEqual(['bühler-rm 20', 'bühler-rm 60']);
    expect(found('15 kg Lorring')).toEqual(['loring-auto']);
  });
  it('finds nothing for a maker unlike any other', () => {
    expect(found('Giesen')).toEqual([]);
    expect(found('')).toEqual([]);
  });
});
