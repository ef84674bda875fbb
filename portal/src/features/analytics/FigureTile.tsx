import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { classes } from '../../ui/classes.ts';
import { Skeleton } from '../../ui/Card.tsx';

interface FigureTileProps {
  label: string;
  /** `undefined` while it loads, `null` when it could not be read. */
  value: string | undefined | null;
  /** The value is a word, not a figure: a size that fits a phone. */
  isWord?: boolean;
  /** Dim, after the figure. */
  unit?: ReactNode;
  /** A dim line below: the comparison. */
  note?: ReactNode;
  /** The roasts behind it; absent if there are none to open. */
  to?: string | undefined;
}

/** A figure that links to the roasts behind it. */
export const FigureTile = ({ label, value, isWord = false, unit, note, to }: FigureTileProps) => {
  const face = (
    <>
      <span className="label-mono truncate">{label}</span>
      {value === undefined ? (
        <Skeleton className="h-8 w-24" />
      ) : (
        <span
          className={classes(
            'figures min-w-0 font-semibold tracking-tight text-strong',
            isWord ? 'truncate text-lg leading-8' : 'text-2xl',
          )}
        >
          {value ?? <span className="text-muted">--</span>}{' '}
          {unit !== undefined && value !== null && value !== '--' && (
            <span className="text-base font-normal tracking-normal text-muted">{unit}</span>
          )}
        </span>
      )}
      <span className="figures min-h-5 truncate text-sm text-muted">{note}</span>
    </>
  );
  const look = 'flex min-w-0 flex-col gap-1.5 rounded-lg border border-stroke bg-surface p-4';
  return to === undefined ? (
    <div className={look}>{face}</div>
  ) : (
    <Link to={to} className={`${look} hover:border-stroke-strong hover:bg-hover`}>
      {face}
    </Link>
  );
};

export const TileRow = ({ children }: { children: ReactNode }) => (
  <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">{children}</div>
);
