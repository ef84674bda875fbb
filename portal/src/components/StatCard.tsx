import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { Card, Skeleton } from '../ui/Card.tsx';
import { classes } from '../ui/classes.ts';

interface StatCardProps {
  label: string;
  /** The figure; `undefined` while it loads, `null` when it could not be read. */
  value: ReactNode | undefined;
  /** Dim, after the figure: `kg`, `of 4`. */
  unit?: ReactNode;
  icon?: ReactNode;
  /** Where the card leads. */
  to?: string;
}

export const StatCard = ({ label, value, unit, icon, to }: StatCardProps) => (
  <Card
    className={classes(
      'flex min-w-0 flex-col justify-between gap-3 p-4',
      to !== undefined && 'relative hover:border-stroke-strong hover:bg-hover',
    )}
  >
    <div className="flex items-center justify-between gap-2">
      <h2 className="label-mono truncate">
        {to === undefined ? (
          label
        ) : (
          <Link to={to} className="after:absolute after:inset-0 after:rounded-lg">
            {label}
          </Link>
        )}
      </h2>
      {icon !== undefined && (
        <span aria-hidden className="text-faint [&_svg]:size-4">
          {icon}
        </span>
      )}
    </div>
    {value === undefined ? (
      <Skeleton className="h-8 w-20" />
    ) : (
      <p className="figures text-2xl font-semibold tracking-tight text-strong">
        {value ?? <span className="text-muted">--</span>}
        {unit !== undefined && value !== null && (
          <span className="ml-1.5 text-base font-normal tracking-normal text-muted">{unit}</span>
        )}
      </p>
    )}
  </Card>
);

/** Side by side on desk and tablet, two across on a phone. */
export const StatRow = ({ children }: { children: ReactNode }) => (
  <div className="grid grid-cols-2 gap-3 max-md:*:last:odd:col-span-2 md:grid-cols-[repeat(auto-fit,minmax(0,1fr))]">
    {children}
  </div>
);
