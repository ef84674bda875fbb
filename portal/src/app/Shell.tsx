import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { Outlet, ScrollRestoration, useLocation } from 'react-router-dom';
import { useSWRConfig } from 'swr';
import { useUser } from '../api/session.tsx';
import { useReachability } from '../api/reachability.ts';
import { OfflineBanner } from '../components/OfflineBanner.tsx';
import { LowStockBanner } from '../features/alerts/LowStockBanner.tsx';
import { PageActionsProvider } from '../components/page-actions.tsx';
import { t } from '../language/t.ts';
import { chooseTheme, themeChoice } from '../ui/theme.ts';
import { Toaster } from '../ui/Toaster.tsx';
import { useKeyboard } from './keyboard.ts';
import { PhoneBar } from './PhoneBar.tsx';
import { useRememberPages } from './recent-pages.ts';
import { Sidebar } from './Sidebar.tsx';
import { TopBar } from './TopBar.tsx';

// Not needed to see the first page.
const loadPalette = async () => ({ default: (await import('./Palette.tsx')).Palette });
const Palette = lazy(loadPalette);
const KeyboardHelp = lazy(async () => ({ default: (await import('./KeyboardHelp.tsx')).KeyboardHelp }));
const Drawer = lazy(async () => ({ default: (await import('./Drawer.tsx')).Drawer }));

type Layer = 'palette' | 'keyboard' | 'drawer';

/** After navigation the focus goes to the new page's heading, so that the keyboard and a screen reader start there. */
const useFocusOnNavigation = (pathname: string) => {
  const shown = useRef(pathname);
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

/** Loaded when Ctrl is pressed, so that text typed right after Ctrl+K is not lost. */
const usePaletteInTime = () => {
  useEffect(() => {
    const press = ({ key }: KeyboardEvent) => {
      if (key === 'Control' || key === 'Meta') void loadPalette();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
};

/** The theme belongs to the account: this browser adopts it at sign-in. */
const useKeptTheme = () => {
  const { theme } = useUser().preferences;
  useEffect(() => {
    if (themeChoice() !== theme) chooseTheme(theme);
  }, [theme]);
};

const Frame = () => {
  const [layer, setLayer] = useState<Layer | null>(null);
  // A layer stays mounted once it was opened, so that closing can fade and focus returns.
  const [used, setUsed] = useState<ReadonlySet<Layer>>(new Set());
  const { pathname } = useLocation();
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
  const close = useCallback(() => setLayer(null), []);
  useKeyboard({ onPalette: openPalette, onHelp: openHelp });
  useFocusOnNavigation(pathname);
  useRefreshOnReturn();
  useKeptTheme();
  useRememberPages();
  usePaletteInTime();

  return (
    <div className="min-h-dvh lg:pl-57 print:p-0">
      <a
        href="#main"
        className="fixed top-2 left-2 z-80 -translate-y-16 rounded-md border border-stroke-strong bg-overlay px-3 py-2 text-strong focus:translate-y-0 print:hidden"
      >
        {t`Skip to content`}
      </a>
      <aside className="fixed inset-y-0 left-0 z-20 w-57 border-r border-stroke bg-page max-lg:hidden print:hidden">
        <Sidebar />
      </aside>
      <TopBar onSearch={openPalette} />
      <OfflineBanner className="sticky top-13.5 z-20 print:hidden" />
      <LowStockBanner />
      <main
        id="main"
        tabIndex={-1}
        className="outline-none max-lg:pb-[calc(3.5rem+env(safe-area-inset-bottom))] print:p-0"
      >
        <Outlet />
      </main>
      <PhoneBar onMore={() => open('drawer')} />
      <Suspense fallback={null}>
        {used.has('palette') && <Palette open={layer === 'palette'} onClose={close} />}
        {used.has('keyboard') && <KeyboardHelp open={layer === 'keyboard'} onClose={close} />}
        {used.has('drawer') && <Drawer open={layer === 'drawer'} onClose={close} />}
      </Suspense>
      <Toaster />
      <ScrollRestoration />
    </div>
  );
};

/** The layout around every page of a signed-in user. */
export const Shell = () => (
  <PageActionsProvider>
    <Frame />
  </PageActionsProvider>
);
