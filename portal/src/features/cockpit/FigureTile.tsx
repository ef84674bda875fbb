import type { ReactNode } from 'react';
import { usePreferences } from '../../format/preferences.ts';
import { readingOf, unitOf, type Quantity } from '../../format/quantities.ts';
import { classes } from '../../ui/classes.ts';

interface FigureTileProps {
  label: string;
  /** On a phone, where the label has no room. */
  shortLabel?: string;
  /** Adds the unit to the label, where it takes no room from the figure. */
  quantity?: Quantity;
  /** Colour token of the curve. */
  token?: string;
  /** `big`: read from three metres. */
  size?: 'big' | 'small';
  stale?: boolean;
  className?: string;
  testId?: string;
  children: ReactNode;
}

/** One figure of the cockpit's strip. */
export const FigureTile = (props: FigureTileProps) => {
  const { label, shortLabel, quantity, token, size = 'small', stale = false, className, testId, children } = props;
  const units = usePreferences();
  return (
    <div
      data-testid={testId}
      className={classes('flex min-w-0 flex-col justify-between bg-surface px-3 pt-1.5 pb-2 lg:px-4', className)}
    >
      <p className="flex min-w-0 items-center gap-1.5">
        {token !== undefined && (
          <span aria-hidden className="size-2 shrink-0 rounded-full" style={{ background: `var(--${token})` }} />
        )}
        <span className="label-mono truncate">
          {shortLabel === undefined ? (
            label
          ) : (
            <>
              <span className="max-md:hidden">{label}</span>
              <span className="md:hidden">{shortLabel}</span>
            </>
          )}
          {quantity !== undefined && <span className="normal-case"> {unitOf(quantity, units)}</span>}
        </span>
      </p>
      <p
        className={classes(
          'figures truncate leading-none font-semibold tracking-tight',
          size === 'big'
            ? 'text-[3.25rem] lg:text-[clamp(3.75rem,5.6vw,5.25rem)]'
            : 'text-[1.625rem] lg:text-[1.75rem]',
          stale ? 'text-muted' : 'text-strong',
        )}
      >
        {children}
      </p>
    </div>
  );
};

/** A reading without its unit. */
export const Value = ({ quantity, value }: { quantity: Quantity; value: number | null | undefined }) =>
  readingOf(quantity, value, usePreferences()).value;
