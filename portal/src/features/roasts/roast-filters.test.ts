import { roastFilters, roastParts } from '@roastery/contract/roasts';
import { describe, expect, it } from 'vitest';
import { parts, roastFilterKeys, usableFilters } from './roast-filters.ts';

const of = (address: string) => {
  const search = new URLSearchParams(address);
  return usableFilters((key) => search.get(key) ?? undefined);
};

describe('filters of the list of roasts', () => {
  it('are all filters of the api', () => {
    expect([...roastFilterKeys].sort()).toEqual(Object.keys(roastFilters).sort());
  });
  it('are read from the address in the api’s form', () => {
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
  it('accept names as long as the api does', () => {
    const coffee = 'Ä'.repeat(200);
    expect(of(`coffee_name=${encodeURIComponent(coffee)}&without=machine`)).toEqual({
      coffee_name: coffee,
      without: 'machine',
    });
    expect(of(`coffee_name=${'x'.repeat(201)}&origin=${'x'.repeat(121)}&with=sugar`)).toEqual({});
  });
  it('exist for every part that a roast may lack', () => {
    const lacked = parts.flatMap(({ key, part }) => (key === 'without' ? [part] : []));
    expect(lacked.sort()).toEqual([...roastParts].sort());
  });
  it('pick single roasts', () => {
    const [one, other] = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002'];
    expect(of(`ids=${one},${other}`)).toEqual({ ids: `${one},${other}` });
    expect(of(`ids=${one},${other.slice(0, 20)}`)).toEqual({});
    for (const count of [100, 101]) {
      const ids = Array.from({ length: count }, () => one).join(',');
      expect('ids' in of(`ids=${ids}`), `${count}`).toBe(roastFilters.ids.safeParse(ids).success);
    }
  });
  it('accept exactly the days that the api accepts', () => {
    const days = ['0000-01-01', '0002-11-21', '1899-12-31', '1900-01-01', '1999-02-29', '2024-02-29', '2026-02-30'];
    for (const day of [...days, '2026-11-21', '2200-12-31', '2201-01-01', '9999-12-31', '2026-11-21T00:00:00Z']) {
      expect('from' in of(`from=${day}`), day).toBe(roastFilters.from.safeParse(day).success);
    }
  });
  it('that the api would refuse are ignored', () => {
    expect(of('status=done&machine_id=018f&from=yesterday&to=2026-13-40&favorites_only=maybe&coffee_name=')).toEqual(
      {},
    );
  });
});
