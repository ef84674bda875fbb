import type { HTMLAttributes, ReactNode } from 'react';
import { classes } from './classes.ts';

export const Card = ({ className, ...rest }: HTMLAttributes<HTMLDivElement>) => (
  <div {...rest} className={classes('rounded-lg border border-stroke bg-surface', className)} />
);

interface PanelProps {
  title: string;
  /** Links or buttons at the right end of the title. */
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A card as a section of the page, with its title as a heading. */
export const Panel = ({ title, actions, children, className }: PanelProps) => (
  <section aria-label={title} className={classes('rounded-lg border border-stroke bg-surface', className)}>
    <header className="flex min-h-12 items-center justify-between gap-3 border-b border-stroke px-4 print:min-h-8 print:px-3">
      <h2 className="text-base font-semibold text-strong">{title}</h2>
      {actions !== undefined && <div className="flex items-center gap-2">{actions}</div>}
    </header>
    {children}
  </section>
);

/** A placeholder while a value loads. Give it the size of the value, so that the layout does not move. */
export const Skeleton = ({ className }: { className?: string }) => (
  <span
    aria-hidden
    className={classes(
      'block animate-[breathe_1.6s_ease-in-out_infinite] rounded-sm bg-hover',
      className ?? 'h-4 w-24',
    )}
  />
);
