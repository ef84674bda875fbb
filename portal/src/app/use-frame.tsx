import { lazy, Suspense, useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useLocation, type Location } from 'react-router-dom';
import { useSWRConfig } from 'swr';
import { useReachability } from '../api/reachability.ts';
import { rememberPage } from '../api/recent-pages.ts';
import { useUser } from '../api/session.tsx';
import { chooseTheme, themeChoice } from '../ui/theme.ts';
import { signedInState } from './guards.tsx';
import { useKeyboard, type KeyboardHandlers } from './keyboard.ts';
import { Palette } from './Palette.tsx';

// Not needed to see the first page. The palette is: text typed right after Ctrl+K would be lost while it loads.
const KeyboardHelp = lazy(async () => ({ default: (await import('./KeyboardHelp.tsx')).KeyboardHelp }));
const Drawer = lazy(async () => ({ default: (await import('./Drawer.tsx')).Drawer }));

/** A part of its own: the actions that a page offers render nothing else. */
const Keyboard = (handlers: KeyboardHandlers) => {
  useKeyboard(handlers);
  return null;
};

/** Pages of one record. Lists and forms for new records have their own items in the palette. */
const recordPage = /^\/(?:roasts|recipes|roasts\/blends|inventory\/lots)\/[\da-f-]{36}(?:\/edit)?$/;
/** A page counts as visited after this time; by then it has its title. */
const stayMs = 800;

/** Stores the opened records, for the palette. */
const useRememberPages = (): void => {
  const { id } = useUser();
  const { pathname } = useLocation();
  useEffect(() => {
    if (!recordPage.test(pathname)) return undefined;
    const timer = setTimeout(() => {
      const title = document.title.replace(/ · Roasting Management$/, '');
      rememberPage(id, { path: pathname, title });
    }, stayMs);
    return () => clearTimeout(timer);
  }, [id, pathname]);
};

type Layer = 'palette' | 'keyboard' | 'drawer';

/**
 * After navigation and after a sign-in the focus moves to the new page's heading, so that the keyboard and a screen
 * reader start there.
 */
const useFocusOnNavigation = ({ pathname, state }: Location<unknown>) => {
  const shown = useRef(state === signedInState ? undefined : pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    const target = document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main');
    target?.focus({ preventScroll: true });
  }, [pathname]);
};

/** When the server is back, everything on screen is read again. */
const useRefreshOnReturn = () => {
  const { reachable } = useReachability();
  const { mutate } = useSWRConfig();
  const wasReachable = useRef(reachable);
  useEffect(() => {
    if (reachable && !wasReachable.current) void mutate(() => true);
    wasReachable.current = reachable;
  }, [reachable, mutate]);
};

/** The theme belongs to the account: this browser adopts it at sign-in. */
const useKeptTheme = () => {
  const { theme } = useUser().preferences;
  useEffect(() => {
    if (themeChoice() !== theme) chooseTheme(theme);
  }, [theme]);
};

interface FrameParts {
  readonly openPalette: () => void;
  readonly openDrawer: () => void;
  /** The portal's keys, palette, list of keys and drawer. */
  readonly layers: ReactNode;
}

/**
 * The common behaviour of all layouts for a signed-in user: keys, palette, focus after navigation, theme, fresh data
 * after an outage.
 */
export const useFrame = (): FrameParts => {
  const [layer, setLayer] = useState<Layer | null>(null);
  // A layer stays mounted once it was opened, so that closing can fade and focus returns.
  const [used, setUsed] = useState<ReadonlySet<Layer>>(new Set());
  const location = useLocation();
  const { pathname } = location;
  const [shownAt, setShownAt] = useState(pathname);
  if (pathname !== shownAt) {
    setShownAt(pathname);
    setLayer(null);
  }
  const open = useCallback((next: Layer) => {
    setUsed((current) => new Set(current).add(next));
    setLayer(next);
  }, []);
  const openPalette = useCallback(() => open('palette'), [open]);
  const openHelp = useCallback(() => open('keyboard'), [open]);
  const openDrawer = useCallback(() => open('drawer'), [open]);
  const close = useCallback(() => setLayer(null), []);
  useFocusOnNavigation(location);
  useRefreshOnReturn();
  useKeptTheme();
  useRememberPages();
  const layers = (
    <>
      <Keyboard onPalette={openPalette} onHelp={openHelp} isPaletteOpen={layer === 'palette'} />
      {used.has('palette') && <Palette open={layer === 'palette'} onClose={close} />}
      <Suspense fallback={null}>
        {used.has('keyboard') && <KeyboardHelp open={layer === 'keyboard'} onClose={close} />}
        {used.has('drawer') && <Drawer open={layer === 'drawer'} onClose={close} />}
      </Suspense>
    </>
  );
  return { openPalette, openDrawer, layers };
};
