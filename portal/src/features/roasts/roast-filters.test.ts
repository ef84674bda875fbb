import { roastFilters } from '@roastery/contract/roasts';
import { describe, expect, it } from 'vitest';
import { roastFilterKeys, usableFilters } from './roast-filters.ts';

const of = (address: string) => {
  const search = new URLSearchParams(address);
  return usableFilters((key) => search.get(key) ?? undefined);
};

describe('filters of the list of roasts', () => {
  it('are all that the api has', () => {
    expect([...roastFilterKeys].sort()).toEqual(Object.keys(roastFilters).sort());
  });
  it('are read from the address as the api takes them', () => {
    const address = 'status=completed&origin=Kenya&from=2026-11-01&to=2026-11-21&favorites_only=true&level=Medium&q=x';
    expect(of(address)).toEqual({
      status: 'completed',
      origin: 'Kenya',
      from: '2026-11-01',
      to: '2026-11-21',
      favorites_only: 'true',
      level: 'Medium',
    });
  });
  it('that the api would refuse are passed over', () => {
    expect(of('status=done&machine_id=018f&from=yesterday&to=2026-13-40&favorites_only=maybe&coffee_name=')).toEqual(
      {},
    );
  });
});
