import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';
import { popupLayer } from './classes.ts';

/** A short text on hover or focus. Never the only source of information: touch has no hover. */
export const Tooltip = ({ text, children }: { text: ReactNode; children: ReactElement }) => (
  <Base.Root>
    <Base.Trigger render={children} delay={350} />
    <Base.Portal>
      <Base.Positioner sideOffset={6} className={popupLayer}>
        <Base.Popup className="popup-motion max-w-72 rounded-md border border-stroke-strong bg-overlay px-2 py-1 text-xs text-content shadow-overlay">
          {text}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);
