import { Tabs as Base } from '@base-ui/react/tabs';
import { useEffect, useRef, type ReactNode } from 'react';

export interface Tab<Value extends string> {
  value: Value;
  label: string;
  /** Content while this tab is selected; absent where the page reads the tab itself. */
  content?: ReactNode;
  disabled?: boolean;
}

interface TabsProps<Value extends string> {
  label: string;
  tabs: readonly Tab<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}

/** Keep `value` in the URL (useUrlState), so that a link shows the same tab. */
export const Tabs = <Value extends string>({ label, tabs, value, onChange }: TabsProps<Value>) => {
  const list = useRef<HTMLDivElement>(null);
  const place = tabs.findIndex((tab) => tab.value === value);
  // On a phone the list may be wider than the screen: a link to its last tab must show which one it is.
  useEffect(() => {
    const tab = list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[place];
    if (!list.current || !tab) return;
    list.current.scrollLeft = tab.offsetLeft + tab.offsetWidth / 2 - list.current.clientWidth / 2;
  }, [place]);
  return (
    <Base.Root value={value} onValueChange={(next: Value) => onChange(next)}>
      <Base.List ref={list} aria-label={label} className="relative flex gap-5 overflow-x-auto border-b border-stroke">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            disabled={tab.disabled ?? false}
            className="relative h-10 shrink-0 border-b-2 border-transparent text-base text-muted transition-colors hover:text-strong focus-visible:-outline-offset-2 data-active:border-accent data-active:font-medium data-active:text-strong data-disabled:text-faint data-disabled:hover:text-faint"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(
        (tab) =>
          tab.content !== undefined && (
            <Base.Panel key={tab.value} value={tab.value} className="rounded-sm pt-4">
              {tab.content}
            </Base.Panel>
          ),
      )}
    </Base.Root>
  );
};
