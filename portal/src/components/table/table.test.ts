import { describe, expect, it } from 'vitest';
import { nextSort } from './columns.ts';
import { toggled, toggledAll } from './selected.ts';

describe('sorting by a click on a column', () => {
  it('starts rising and turns round', () => {
    expect(nextSort('-start_time', 'coffee_name')).toBe('coffee_name');
    expect(nextSort('coffee_name', 'coffee_name')).toBe('-coffee_name');
    expect(nextSort('-coffee_name', 'coffee_name')).toBe('coffee_name');
  });
});

describe('selecting rows', () => {
  it('puts a row in and takes it out', () => {
    expect([...toggled(new Set(['a']), 'b')]).toEqual(['a', 'b']);
    expect([...toggled(new Set(['a', 'b']), 'a')]).toEqual(['b']);
  });

  it('fills a half-selected page first, and keeps what is selected on other pages', () => {
    const half = toggledAll(new Set(['elsewhere', 'a']), ['a', 'b']);
    expect(half).toMatchObject({ checked: false, indeterminate: true });
    expect([...half.next]).toEqual(['elsewhere', 'a', 'b']);
    expect([...toggledAll(half.next, ['a', 'b']).next]).toEqual(['elsewhere']);
  });

  it('is not ticked on an empty page', () => {
    expect(toggledAll(new Set(['a']), [])).toMatchObject({ checked: false, indeterminate: false });
  });
});
