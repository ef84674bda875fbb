// oxlint-disable jsx-a11y/prefer-tag-over-role -- HTML has no element for a list of options beside a text field
import { Search } from 'lucide-react';
import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useTyped } from '../components/use-typed.ts';
import { t } from '../language/t.ts';
import { classes } from '../ui/classes.ts';
import { Kbd } from '../ui/Badge.tsx';
import { Spinner } from '../ui/Button.tsx';
import type { PaletteItem } from './palette-records.ts';
import { usePaletteGroups } from './palette-items.ts';

/**
 * Ctrl/Cmd+K: all actions and destinations, found by typing a part of their name. The browser's own dialog: it has the focus
 * before the next key, and the first page has no room for a library of dialogs.
 */
export const Palette = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- a click beside it closes it, as Escape does
    <dialog
      ref={dialog}
      aria-label={t`Search or jump to`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        // The event comes after the next key on a busy computer: Ctrl+K may have opened it again.
        if (dialog.current?.open === false) onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
      className="popup-motion fixed inset-x-3 top-[max(0.75rem,12dvh)] mx-auto hidden max-h-[min(34rem,76dvh)] w-auto max-w-xl flex-col overflow-hidden rounded-lg border border-stroke-strong bg-overlay p-0 text-content shadow-overlay outline-none backdrop:bg-scrim open:flex"
    >
      {open && <PaletteBody onClose={onClose} />}
    </dialog>
  );
};

const PaletteBody = ({ onClose }: { onClose: () => void }) => {
  const listId = useId();
  const [searched, setSearched] = useState('');
  const [typed, setTyped] = useTyped(searched, setSearched, 150);
  const [at, setAt] = useState(0);
  const { groups, isSearching } = usePaletteGroups(typed.trim(), searched.trim());
  const items = groups.flatMap((group) => group.items);
  const active = items[Math.min(at, items.length - 1)];

  const run = (item: PaletteItem) => {
    onClose();
    item.run();
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && active !== undefined) run(active);
    else if (event.key === 'ArrowDown') setAt((current) => (current + 1) % Math.max(1, items.length));
    else if (event.key === 'ArrowUp') setAt((current) => (current + items.length - 1) % Math.max(1, items.length));
    else return;
    event.preventDefault();
  };

  return (
    <>
      <div className="flex h-13 shrink-0 items-center gap-3 border-b border-stroke px-4">
        {isSearching ? <Spinner className="text-muted" /> : <Search aria-hidden className="size-4 text-muted" />}
        <input
          type="text"
          role="combobox"
          aria-label={t`Search or jump to`}
          aria-expanded
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={active === undefined ? undefined : `${listId}-${active.id}`}
          placeholder={t`Search roasts, lots, recipes, machines, pages and actions`}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={press}
          className="h-full min-w-0 flex-1 bg-transparent text-lg text-strong outline-none focus-visible:outline-none"
        />
        <Kbd>Esc</Kbd>
      </div>
      <div id={listId} role="listbox" aria-label={t`Results`} className="min-h-0 flex-1 overflow-y-auto p-2">
        {groups.map((group) => (
          <div key={group.title} role="group" aria-label={group.title} className="pb-2">
            <p aria-hidden className="label-mono px-2 py-1">
              {group.title}
            </p>
            {group.items.map((item) => (
              <PaletteRow
                key={item.id}
                id={`${listId}-${item.id}`}
                item={item}
                isActive={item === active}
                onPoint={() => setAt(items.indexOf(item))}
                onRun={() => run(item)}
              />
            ))}
          </div>
        ))}
        {items.length === 0 && (
          <p className="px-2 py-6 text-center text-muted">{isSearching ? t`Searching …` : t`Nothing found`}</p>
        )}
      </div>
    </>
  );
};

interface PaletteRowProps {
  id: string;
  item: PaletteItem;
  isActive: boolean;
  onPoint: () => void;
  onRun: () => void;
}

const PaletteRow = ({ id, item, isActive, onPoint, onRun }: PaletteRowProps) => (
  // The input keeps the focus and names the active option; only the pointer clicks here.
  <div
    id={id}
    role="option"
    tabIndex={-1}
    aria-selected={isActive}
    ref={(row) => {
      if (isActive) row?.scrollIntoView({ block: 'nearest' });
    }}
    onPointerMove={onPoint}
    onClick={onRun}
    onKeyDown={undefined}
    className={classes(
      'flex min-h-10 cursor-pointer items-center gap-3 rounded-md px-2 [&_svg]:size-4 [&_svg]:shrink-0',
      isActive ? 'bg-selected text-strong [&_svg]:text-accent-text' : 'text-content [&_svg]:text-muted',
    )}
  >
    {item.icon}
    <span className="min-w-0 flex-1 truncate">{item.label}</span>
    {item.hint !== undefined && (
      <span className="figures truncate font-mono text-xs text-muted">
        {item.hint}
        {item.moreHint !== undefined && <span className="max-sm:hidden"> · {item.moreHint}</span>}
      </span>
    )}
    <span className="flex gap-1 max-sm:hidden">
      {item.keys?.map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </span>
  </div>
);
