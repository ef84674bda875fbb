import { Outlet, ScrollRestoration } from 'react-router-dom';
import { OfflineBanner } from '../components/OfflineBanner.tsx';
import { PinLockBanner } from '../features/account/PinLockBanner.tsx';
import { LowStockBanner } from '../features/alerts/LowStockBanner.tsx';
import { PageActionsProvider } from '../components/page-actions.tsx';
import { t } from '../language/t.ts';
import { Toaster } from '../ui/Toaster.tsx';
import { PhoneBar } from './PhoneBar.tsx';
import { Sidebar } from './Sidebar.tsx';
import { TopBar } from './TopBar.tsx';
import { useFrame } from './use-frame.tsx';

const Frame = () => {
  const { openPalette, openDrawer, layers } = useFrame();
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
      <PinLockBanner />
      <LowStockBanner />
      <main
        id="main"
        tabIndex={-1}
        className="outline-none max-lg:pb-[calc(3.5rem+env(safe-area-inset-bottom))] print:p-0"
      >
        <Outlet />
      </main>
      <PhoneBar onMore={openDrawer} />
      {layers}
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

const FullScreenFrame = () => {
  const { layers } = useFrame();
  return (
    <>
      <main id="main" tabIndex={-1} className="h-dvh overflow-hidden outline-none">
        <Outlet />
      </main>
      {layers}
      <Toaster atTop />
    </>
  );
};

/** The layout around a page that needs the whole screen: no bars, messages at the top where they cover no control. */
export const FullScreen = () => (
  <PageActionsProvider>
    <FullScreenFrame />
  </PageActionsProvider>
);
