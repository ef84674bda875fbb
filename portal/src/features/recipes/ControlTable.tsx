import { formatDuration, parseDuration } from '@roastery/roasting/units';
import { ChevronLeft, ChevronRight, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useRemoval } from '../../components/form/use-removal.ts';
import { formatCount, numberInField, readNumber } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { controlClass } from '../../ui/Field.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { limitsOf, sorted, type DraftPoint, type PointField, type PointProblem } from './control-points.ts';

interface ControlTableProps {
  points: readonly DraftPoint[];
  problems: readonly PointProblem[];
  onChange: (points: DraftPoint[]) => void;
  active: string | null;
  onActive: (key: string | null) => void;
}

const columns: readonly { field: PointField; label: string; unit: string }[] = [
  { field: 'time', label: t`Time`, unit: 'm:ss' },
  { field: 'burner', label: t`Burner`, unit: '%' },
  { field: 'exhaust', label: t`Exhaust`, unit: '%' },
  { field: 'drum', label: t`Drum`, unit: 'RPM' },
];

/** Rows per page: 1,800 of them would make every key press slow. */
const rowsAtOnce = 100;

/** The control points as numbers, a hundred per page. */
export const ControlTable = ({ points, problems, onChange, active, onActive }: ControlTableProps) => {
  const change = (key: string, field: PointField, value: number | null) =>
    onChange(points.map((point) => (point.key === key ? { ...point, [field]: value } : point)));
  const remove = useRemoval(points, onChange);
  const [page, setPage] = useState(0);
  const [followed, setFollowed] = useState(active);
  const goTo = (key: string | null) => {
    const place = points.findIndex((point) => point.key === key);
    if (place >= 0) setPage(Math.floor(place / rowsAtOnce));
  };
  // The page follows the active point of the curves, and a new one.
  if (active !== followed) {
    setFollowed(active);
    goTo(active);
  }
  const lastPage = Math.max(0, Math.ceil(points.length / rowsAtOnce) - 1);
  const first = Math.min(page, lastPage) * rowsAtOnce;
  const shown = points.slice(first, first + rowsAtOnce);
  const elsewhere = problems.find(({ key }) => key !== null && !shown.some((point) => point.key === key))?.key ?? null;
  return (
    <>
      {points.length > rowsAtOnce && (
        <TablePager
          first={first}
          count={shown.length}
          total={points.length}
          onPage={(by) => setPage(first / rowsAtOnce + by)}
        />
      )}
      {elsewhere !== null && (
        <Button kind="quiet" onClick={() => goTo(elsewhere)}>
          {t`Point ${formatCount(points.findIndex(({ key }) => key === elsewhere) + 1)} has an error`}
        </Button>
      )}
      <table className="w-full text-sm" aria-label={t`Control points`}>
        <thead>
          <tr className="label-mono [&>th]:px-1 [&>th]:pb-2 [&>th]:text-left [&>th]:font-medium">
            {columns.map(({ field, label, unit }) => (
              <th key={field} scope="col">
                {label} <span className="text-faint normal-case max-sm:hidden">{unit}</span>
              </th>
            ))}
            <th scope="col" className="w-10">
              <span className="sr-only">{t`Delete`}</span>
            </th>
          </tr>
        </thead>
        {shown.map((point, at) => {
          const i = first + at;
          const own = problems.filter((problem) => problem.key === point.key);
          return (
            <tbody key={point.key} className={classes(active === point.key && 'bg-selected')}>
              <tr className="[&>td]:p-1" onFocus={() => onActive(point.key)}>
                {columns.map(({ field, label }) => (
                  <td key={field}>
                    <Cell
                      label={t`${label} of point ${i + 1}`}
                      field={field}
                      value={point[field]}
                      wrong={own.some((problem) => problem.field === field)}
                      describedBy={own.length > 0 ? `${point.key}-problems` : undefined}
                      onChange={(value) => change(point.key, field, value)}
                      onLeave={() => {
                        if (field === 'time') onChange(sorted(points));
                      }}
                    />
                  </td>
                ))}
                <td>
                  <IconButton
                    label={t`Delete point ${i + 1} at ${formatDuration(point.time)}`}
                    tone="danger"
                    icon={<Trash2 aria-hidden />}
                    onClick={() => remove(point, t`Point ${i + 1} at ${formatDuration(point.time)} was removed`)}
                  />
                </td>
              </tr>
              {own.length > 0 && (
                <tr>
                  <td colSpan={5} className="px-2 pb-1.5 text-xs text-danger" id={`${point.key}-problems`}>
                    {own.map(({ message }) => message).join(' · ')}
                  </td>
                </tr>
              )}
            </tbody>
          );
        })}
      </table>
    </>
  );
};

interface TablePagerProps {
  /** Index of the first row on the page. */
  first: number;
  count: number;
  total: number;
  onPage: (by: -1 | 1) => void;
}

const TablePager = ({ first, count, total, onPage }: TablePagerProps) => (
  <div className="flex items-center justify-between gap-2 text-sm text-muted">
    <IconButton
      label={t`Earlier points`}
      icon={<ChevronLeft aria-hidden />}
      disabled={first === 0}
      onClick={() => onPage(-1)}
    />
    <span className="figures" aria-live="polite">
      {t`Points ${formatCount(first + 1)}–${formatCount(first + count)} of ${formatCount(total)}`}
    </span>
    <IconButton
      label={t`Later points`}
      icon={<ChevronRight aria-hidden />}
      disabled={first + count >= total}
      onClick={() => onPage(1)}
    />
  </div>
);

interface CellProps {
  label: string;
  field: PointField;
  value: number | null;
  wrong: boolean;
  describedBy: string | undefined;
  onChange: (value: number | null) => void;
  onLeave: () => void;
}

const textOf = (field: PointField, value: number | null): string => {
  if (value === null) return '';
  return field === 'time' ? formatDuration(value) : numberInField(value);
};

const read = (field: PointField, text: string): number | null => {
  if (text.trim() === '') return null;
  if (field === 'time') return parseDuration(text);
  const value = readNumber(text);
  return value === undefined ? null : Number(value);
};

/** A number field. The text stays as typed; the curve follows its readable part. */
const Cell = ({ label, field, value, wrong, describedBy, onChange, onLeave }: CellProps) => {
  const [typed, setTyped] = useState<string | null>(null);
  const step = (by: number) => {
    if (value === null || field === 'time') return;
    const { min, max } = limitsOf[field];
    setTyped(null);
    onChange(Math.min(Math.max(value + by, min), max));
  };
  return (
    <input
      aria-label={label}
      aria-invalid={wrong || undefined}
      aria-describedby={describedBy}
      inputMode={field === 'time' ? 'text' : 'decimal'}
      autoComplete="off"
      value={typed ?? textOf(field, value)}
      placeholder={field === 'time' ? 'm:ss' : undefined}
      onChange={(event) => {
        setTyped(event.target.value);
        onChange(read(field, event.target.value));
      }}
      onBlur={() => {
        // An unreadable text stays visible, to be corrected.
        if (value !== null) setTyped(null);
        onLeave();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
        event.preventDefault();
        step((event.key === 'ArrowUp' ? 1 : -1) * (event.shiftKey ? 10 : 1));
      }}
      className={controlClass('sm', 'figures text-right')}
    />
  );
};
