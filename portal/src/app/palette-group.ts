import type { ReactNode } from 'react';

export interface PaletteItem {
  id: string;
  label: string;
  hint?: string;
  /** Beside the hint where there is room. */
  moreHint?: string;
  icon: ReactNode;
  keys?: readonly string[];
  run: () => void;
}

export interface PaletteGroup {
  title: string;
  items: readonly PaletteItem[];
}
