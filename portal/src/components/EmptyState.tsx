import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  /** One sentence. */
  children?: ReactNode;
  /** The button for the next step. */
  action?: ReactNode;
  /** It is the only content of the page: its title is the heading. */
  isPage?: boolean;
}

export const EmptyState = ({ icon, title, children, action, isPage = false }: EmptyStateProps) => (
  <div className="flex flex-col items-center justify-center gap-1 px-6 py-14 text-center">
    <span
      aria-hidden
      className="mb-3 flex size-11 items-center justify-center rounded-lg border border-stroke-strong bg-page text-muted [&_svg]:size-5"
    >
      {icon}
    </span>
    {isPage ? (
      <h1 tabIndex={-1} className="text-lg font-semibold text-strong outline-none">
        {title}
      </h1>
    ) : (
      <p className="text-lg font-semibold text-strong">{title}</p>
    )}
    {children !== undefined && <div className="max-w-sm text-base text-muted">{children}</div>}
    {action !== undefined && <div className="mt-4">{action}</div>}
  </div>
);
