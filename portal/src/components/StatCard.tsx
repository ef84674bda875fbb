import type { ReactNode } from 'react';
import { Card, Skeleton } from '../ui/Card.tsx';

interface StatCardProps {
  label: string;
  /** The figure; `undefined` while it loads, `null` when it could not be read. */
  value: ReactNode | undefined;
  /** Dim, after the figure: `kg`, `of 4`. */
  unit?: ReactNode;
  icon?: ReactNode;
}

export const StatCard = ({ label, value, unit, icon }: StatCardProps) => (
  <Card className="flex min-w-0 flex-col justify-between gap-3 p-4">
    <div className="flex items-center justify-between gap-2">
      <h2 className="label-mono truncate">{label}</h2>
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
