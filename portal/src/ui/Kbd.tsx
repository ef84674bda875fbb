import type { ReactNode } from 'react';

export const Kbd = ({ children }: { children: ReactNode }) => (
  <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-stroke-strong bg-surface px-1 font-mono text-2xs text-muted">
    {children}
  </kbd>
);
