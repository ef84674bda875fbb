import type { ButtonHTMLAttributes, Ref } from 'react';
import { t } from '../language/t.ts';
import { useUser } from '../api/session.tsx';
import { isDeviceTime } from '../format/zoned-time.ts';
import { classes } from '../ui/classes.ts';

interface AccountButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  name: string;
  ref?: Ref<HTMLButtonElement>;
}

const initialsOf = (name: string): string => {
  const words = name.split(/[\s@.]+/).filter((word) => word !== '');
  return `${words[0]?.[0] ?? ''}${words.length > 1 ? (words[1]?.[0] ?? '') : ''}`.toUpperCase();
};

/** The person's initials; opens the account menu. */
export const AccountButton = ({ name, ...rest }: AccountButtonProps) => (
  <button
    type="button"
    title={t`Account, theme and units`}
    {...rest}
    // Starts with the visible initials, for voice control.
    aria-label={t`${initialsOf(name)}, Account menu`}
    className="flex size-8 shrink-0 items-center justify-center rounded-full border border-stroke-strong bg-surface font-mono text-2xs font-medium text-strong hover:bg-hover data-popup-open:bg-hover pointer-coarse:size-10"
  >
    {initialsOf(name)}
  </button>
);

/** Times are of the roastery's zone: said where the clock of the device shows another time. */
export const ZoneNote = ({ className }: { className: string }) => {
  const zone = useUser().roastery_time_zone;
  if (isDeviceTime(zone)) return null;
  return <p className={classes('text-xs text-muted', className)}>{t`Times are of ${zone}`}</p>;
};
