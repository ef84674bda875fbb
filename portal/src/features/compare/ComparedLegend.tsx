import { ArrowLeftToLine, BookPlus, X } from 'lucide-react';
import { Link } from 'react-router-dom';
import { ApiError } from '../../api/api-error.ts';
import { roastName } from '../../components/live/roast-texts.ts';
import { paths } from '../../components/paths.ts';
import { useDates } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { classes } from '../../ui/classes.ts';
import { IconButton, iconButtonClass } from '../../ui/IconButton.tsx';
import type { LineStyle } from './compare-lines.ts';
import type { ComparedRoast } from './use-compared.ts';

/** A short piece of a roast's line beside its letter, as the charts draw it. */
export const LineSample = ({ style }: { style: LineStyle }) => (
  <span className="inline-flex shrink-0 items-center gap-1.5">
    <span className="font-mono text-sm font-semibold" style={{ color: `var(--${style.token})` }}>
      {style.tag}
    </span>
    <svg aria-hidden width="24" height="4">
      <line
        x1="0"
        x2="24"
        y1="2"
        y2="2"
        stroke={`var(--${style.token})`}
        strokeWidth="2.5"
        strokeDasharray={style.dash.join(' ')}
      />
    </svg>
  </span>
);

interface ComparedLegendProps {
  compared: readonly ComparedRoast[];
  /** Ids of roasts that lack the mark to align at. */
  unplaced: ReadonlySet<string>;
  onBase: (id: string) => void;
  onRemove: (id: string) => void;
}

/** The line of each roast. The first is the reference. */
export const ComparedLegend = ({ compared, unplaced, onBase, onRemove }: ComparedLegendProps) => {
  const dates = useDates();
  return (
    <ul
      aria-label={t`Compared roasts`}
      className={classes(
        'grid grid-cols-[minmax(0,1fr)] gap-2',
        compared.length > 1 && 'sm:grid-cols-[repeat(2,minmax(0,1fr))]',
        compared.length === 3 && 'xl:grid-cols-[repeat(3,minmax(0,1fr))]',
        // Beside the figures a name has its width in one column only.
        compared.length > 3 && 'xl:grid-cols-[minmax(0,1fr)] xl:gap-1',
      )}
    >
      {compared.map(({ id, style, roast, error }, place) => {
        const name = roast === undefined ? t`Roast` : roastName(roast);
        return (
          <li
            key={id}
            className="flex items-center gap-1.5 rounded-lg border border-stroke bg-surface py-1.5 pr-1.5 pl-3 sm:gap-3"
          >
            <LineSample style={style} />
            <span className="min-w-0 flex-1">
              {roast === undefined ? (
                <span className="block truncate text-base text-muted">
                  {error === undefined || error === null
                    ? t`Loading…`
                    : error instanceof ApiError && error.status === 404
                      ? t`Roast not found`
                      : t`Could not be loaded`}
                </span>
              ) : (
                <>
                  <Link
                    to={paths.roast(id)}
                    className="block rounded-sm text-base font-medium text-strong wrap-anywhere hover:underline lg:truncate"
                  >
                    {name}
                  </Link>
                  <span className="figures block text-xs text-muted lg:truncate">
                    {dates.dayAndTime(roast.start_time)}
                    {roast.machine_name !== null && ` · ${roast.machine_name}`}
                    {unplaced.has(id) && ` · ${t`no first crack marked`}`}
                  </span>
                </>
              )}
            </span>
            {roast?.status === 'completed' && (
              <Link
                to={paths.recipeFromRoast(id)}
                title={t`Save ${name} as recipe`}
                aria-label={t`Save ${name} as recipe`}
                className={iconButtonClass()}
              >
                <BookPlus aria-hidden />
              </Link>
            )}
            {place === 0 ? (
              compared.length > 1 && <span className="label-mono px-1">{t`Reference`}</span>
            ) : (
              <IconButton
                label={t`Use ${name} as the reference`}
                icon={<ArrowLeftToLine aria-hidden />}
                onClick={() => onBase(id)}
              />
            )}
            <IconButton label={t`Remove ${name}`} icon={<X aria-hidden />} onClick={() => onRemove(id)} />
          </li>
        );
      })}
    </ul>
  );
};
