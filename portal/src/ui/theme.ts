import { useSyncExternalStore } from 'react';
import { isPrinting, subscribePrinting } from './printing.ts';

export const themeChoices = ['light', 'dark', 'system'] as const;
export type ThemeChoice = (typeof themeChoices)[number];
export type Theme = 'light' | 'dark';

// The key and the colours are shared with the script in index.html, which sets the theme before the first paint.
const storageKey = 'theme';
const browserBar = { light: '#f6f4f1', dark: '#171412' } as const;
const systemDark = () => matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

export const themeChoice = (): ThemeChoice => {
  const stored = localStorage.getItem(storageKey);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
};

const resolved = (): Theme => {
  // Paper is white.
  if (isPrinting()) return 'light';
  const choice = themeChoice();
  if (choice !== 'system') return choice;
  return systemDark().matches ? 'dark' : 'light';
};

const apply = () => {
  const theme = resolved();
  document.documentElement.dataset['theme'] = theme;
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', browserBar[theme]);
  for (const listener of listeners) listener();
};

export const chooseTheme = (choice: ThemeChoice): void => {
  if (choice === 'system') localStorage.removeItem(storageKey);
  else localStorage.setItem(storageKey, choice);
  apply();
};

/** Follows the system, other tabs and the printer. Call once at start. */
export const followTheme = (): void => {
  systemDark().addEventListener('change', apply);
  subscribePrinting(apply);
  addEventListener('storage', (event) => {
    if (event.key === storageKey) apply();
  });
};

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The current theme; charts redraw when it changes. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, resolved);
export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, themeChoice);

/** Value of a colour token as the browser resolves it, for canvases: `colourToken('curve-bean')`. */
export const colourToken = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
