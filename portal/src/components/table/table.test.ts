import { describe, expect, it } from 'vitest';
import { nextSort } from './columns.ts';
import { selectionOf, type Selection } from './selection.ts';

describe('nextSort', () => {
  it('starts ascending and reverses on the second click', () => {
    expect(nextSort('-start_time', 'coffee_name')).toBe('coffee_name');
    expect(nextSort('coffee_name', 'coffee_name')).toBe('-coffee_name');
    expect(nextSort('-coffee_name', 'coffee_name')).toBe('coffee_name');
  });
});

interface Row {
  readonly id: string;
  readonly name: string;
}
const row = (id: string, name = id): Row => ({ id, name });

/** The ids after a change to a selection of these rows. */
const after = (selected: readonly Row[], change: (selection: Selection<Row>) => void): readonly string[] => {
  let next: readonly string[] = selected.map(({ id }) => id);
  const selection = selectionOf(
    new Map(selected.map((one) => [one.id, one])),
    ({ id }) => id,
    (changed) => {
      next = [...changed.keys()];
    },
  );
  change(selection);
  return next;
};
const selecting = (selected: readonly Row[]) =>
  selectionOf(
    new Map(selected.map((one) => [one.id, one])),
    ({ id }) => id,
    () => undefined,
  );

describe('selectionOf', () => {
  it('adds and removes a row', () => {
    expect(after([row('a')], ({ toggle }) => toggle(row('b')))).toEqual(['a', 'b']);
    expect(after([row('a'), row('b')], ({ toggle }) => toggle(row('a')))).toEqual(['b']);
  });

  it('recognises a row that was read again', () => {
    expect(selecting([row('a', 'before')]).has(row('a', 'after'))).toBe(true);
  });

  it('completes a half-selected page first and keeps rows of other pages', () => {
    const page = [row('a'), row('b')];
    const half = [row('elsewhere'), row('a')];
    expect(selecting(half).stateOf(page)).toEqual({ checked: false, indeterminate: true });
    expect(after(half, ({ togglePage }) => togglePage(page))).toEqual(['elsewhere', 'a', 'b']);
    expect(after([row('elsewhere'), ...page], ({ togglePage }) => togglePage(page))).toEqual(['elsewhere']);
  });

  it('does not tick the box of an empty page', () => {
    expect(selecting([row('a')]).stateOf([])).toEqual({ checked: false, indeterminate: false });
  });
});
