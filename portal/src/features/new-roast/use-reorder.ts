import { useState, type KeyboardEvent, type PointerEvent } from 'react';

interface Reorder<Item> {
  /** The items in the order shown while one is dragged. */
  shown: readonly Item[];
  /** Id of the item that is dragged. */
  dragged: string | null;
  /** Props of the handle of an item. */
  handle: (id: string) => {
    onPointerDown: (event: PointerEvent<HTMLElement>) => void;
    onPointerMove: (event: PointerEvent<HTMLElement>) => void;
    onPointerUp: () => void;
    onPointerCancel: () => void;
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  };
}

const moved = <Item>(items: readonly Item[], from: number, to: number): Item[] => {
  const rest = items.filter((_, index) => index !== from);
  const item = items[from];
  return item === undefined ? [...items] : [...rest.slice(0, to), item, ...rest.slice(to)];
};

/** The list position of a handle at this height of the window. */
const placeAt = (handle: HTMLElement, y: number): number => {
  const rows = [...(handle.closest('ol')?.children ?? [])];
  const below = rows.findIndex((row) => {
    const { top, height } = row.getBoundingClientRect();
    return y < top + height / 2;
  });
  return below === -1 ? rows.length - 1 : below;
};

/**
 * Reorders the items of an `ol` by dragging a handle, by mouse or touch, or with the arrow keys on it.
 * @param firstPlace rows above this place stay where they are
 * @param isSaving an order is being saved: until the list shows it, it stays as dragged
 * @param onOrder saves the new order; the previous one is the second argument
 */
export const useReorder = <Item extends { readonly id: string }>(
  items: readonly Item[],
  isSaving: boolean,
  firstPlace: number,
  onOrder: (items: readonly Item[], before: readonly Item[]) => void,
): Reorder<Item> => {
  const [order, setOrder] = useState<readonly Item[] | null>(null);
  const [dragged, setDragged] = useState<string | null>(null);
  /** The order when the drag began. */
  const [picked, setPicked] = useState<readonly Item[]>(items);
  const shown = order ?? items;
  if (order !== null && dragged === null && !isSaving) setOrder(null);

  const save = (next: readonly Item[], before: readonly Item[]) => {
    setOrder(next);
    onOrder(next, before);
  };
  const drop = () => {
    setDragged(null);
    if (shown.some((item, index) => item.id !== picked[index]?.id)) save(shown, picked);
  };

  return {
    shown,
    dragged,
    handle: (id) => ({
      onPointerDown: (event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragged(id);
        setPicked(shown);
        setOrder(shown);
      },
      onPointerMove: (event) => {
        if (dragged !== id) return;
        const from = shown.findIndex((item) => item.id === id);
        const to = Math.min(Math.max(firstPlace, placeAt(event.currentTarget, event.clientY)), shown.length - 1);
        if (from !== to) setOrder(moved(shown, from, to));
      },
      onPointerUp: drop,
      onPointerCancel: () => {
        setDragged(null);
        setOrder(picked);
      },
      onKeyDown: (event) => {
        const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
        if (step === 0) return;
        event.preventDefault();
        const from = shown.findIndex((item) => item.id === id);
        const to = from + step;
        if (to >= firstPlace && to < shown.length) save(moved(shown, from, to), shown);
      },
    }),
  };
};
