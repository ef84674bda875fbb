import type { ReactNode } from 'react';

/** Foot of a long form: why it was refused and its buttons, always in reach; above the bar of a phone. */
export const FormActions = ({ children }: { children: ReactNode }) => (
  <div className="sticky bottom-[calc(3.5rem+env(safe-area-inset-bottom))] z-10 -mx-4 flex flex-col gap-3 border-t border-stroke bg-page px-4 py-3 sm:mx-0 sm:px-0 lg:bottom-0">
    {children}
  </div>
);
