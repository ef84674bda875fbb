import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { Sidebar } from './Sidebar.tsx';
import { t } from '../language/t.ts';

/** The sidebar on a phone or tablet. */
export const Drawer = ({ open, onClose }: { open: boolean; onClose: () => void }) => (
  <Base.Root
    open={open}
    onOpenChange={(next) => {
      if (!next) onClose();
    }}
  >
    <Base.Portal>
      <Base.Backdrop className="fixed inset-0 z-40 bg-scrim transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
      <Base.Popup className="fixed inset-y-0 left-0 z-50 w-72 border-r border-stroke bg-page transition-transform duration-200 outline-none data-ending-style:-translate-x-full data-starting-style:-translate-x-full">
        <Base.Title className="sr-only">{t`Navigation`}</Base.Title>
        <Sidebar />
        <Base.Close
          aria-label={t`Close navigation`}
          className="absolute top-2 right-2 inline-flex size-10 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-strong [&_svg]:size-4"
        >
          <X aria-hidden />
        </Base.Close>
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
);
