import { columnUnits, tableUses, type ColumnChoice, type TableUse, type Upload } from '@roastery/contract/imports';
import { ChevronRight } from 'lucide-react';
import { SavedChoice } from '../../components/saved-fields.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { Select } from '../../ui/Select.tsx';
import type { Choices } from './use-choices.ts';

type Table = NonNullable<Upload['table']>;
type Unit = NonNullable<ColumnChoice['unit']>;

const useLabels: Record<TableUse, string> = {
  time: t`Time`,
  bean_temp: t`Bean temperature`,
  exhaust_temp: t`Exhaust temperature`,
  burner_front_temp: t`Front burner temperature`,
  burner_back_temp: t`Back burner temperature`,
  heat_power: t`Heat`,
  fan_speed: t`Fan`,
  drum_speed: t`Drum`,
  event: t`Events`,
  other: t`Another curve`,
  none: t`Not imported`,
};
const uses = tableUses.map((value) => ({ value, label: useLabels[value] }));

/** Units of the file, not of the person. */
const unitLabels: Record<Unit, string> = {
  s: 's',
  cs: 'cs',
  ms: 'ms',
  min: 'min',
  h: 'h',
  C: '°C',
  F: '°F',
  '%': '%',
};
const unitsOf = (use: TableUse): readonly Unit[] => {
  if (use === 'time') return columnUnits.filter((unit) => unit !== 'C' && unit !== 'F' && unit !== '%');
  if (use.endsWith('_temp')) return ['C', 'F'];
  return use === 'other' ? ['C', 'F', '%'] : [];
};

const isUsedOnce = (use: TableUse): boolean => use !== 'time' && use !== 'other' && use !== 'none';

/** The columns with one changed. A use that only one column can have is taken from the other. */
export const withColumn = (
  columns: readonly ColumnChoice[],
  at: number,
  change: Partial<ColumnChoice>,
): ColumnChoice[] =>
  columns.map(({ head, use, unit }, index) => {
    if (index !== at) return { head, unit, use: isUsedOnce(use) && use === change.use ? 'other' : use };
    const next = { head, use, unit, ...change };
    return { ...next, unit: unitsOf(next.use).some((one) => one === next.unit) ? next.unit : null };
  });

interface TableColumnsProps {
  table: Table;
  choices: Choices;
  /** Before the columns are known there is no curve: they are all that is shown. */
  isMissing: boolean;
}

/** The columns of a table of any program: recognised by their heads, or assigned, then kept for all tables like it. */
export const TableColumns = ({ table, choices: { isSaving, assign, choose }, isMissing }: TableColumnsProps) => {
  const list = (
    <div aria-busy={isSaving} className="flex flex-col gap-3 p-4">
      <p className="text-sm text-muted">
        {t`Choose what each column is. The roastery’s other files with these columns are read the same way, also in imports of many files.`}
      </p>
      <ul className="divide-y divide-stroke border-y border-stroke">
        {table.columns.map((column, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- two columns can have one name
          <li key={at} className="grid items-center gap-x-4 gap-y-2 py-2.5 sm:grid-cols-[minmax(0,1fr)_auto]">
            <div className="min-w-0">
              <p className="truncate text-sm font-medium text-strong" title={column.head}>
                {column.head}
              </p>
              <p className="truncate font-mono text-xs text-muted">
                {column.examples.length === 0 ? t`empty` : column.examples.join(' · ')}
              </p>
            </div>
            <ColumnFields column={column} onChange={(change) => assign((columns) => withColumn(columns, at, change))} />
          </li>
        ))}
      </ul>
      {table.source === 'person' && (
        <div>
          <Button
            busy={isSaving}
            onClick={() => void choose({ columns: [] })}
          >{t`As recognised from the heads`}</Button>
        </div>
      )}
    </div>
  );
  if (isMissing) return <Panel title={t`Columns of the file`}>{list}</Panel>;
  return (
    <details className="group rounded-lg border border-stroke bg-surface">
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 rounded-lg px-4 text-sm font-medium text-content hover:text-strong [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 text-muted transition-transform group-open:rotate-90" />
        {table.source === 'person' ? t`Columns of the file, as assigned` : t`Columns of the file`}
      </summary>
      <div className="border-t border-stroke">{list}</div>
    </details>
  );
};

interface ColumnFieldsProps {
  column: Table['columns'][number];
  onChange: (change: Partial<ColumnChoice>) => Promise<void>;
}

const ColumnFields = ({ column: { head, use, unit }, onChange }: ColumnFieldsProps) => {
  const units = unitsOf(use);
  const select = { hideLabel: true, size: 'sm' } as const;
  return (
    <div className="flex flex-wrap gap-2">
      <SavedChoice stored={use} onChosen={(next) => onChange({ use: next })}>
        {(shown, change) => (
          <Select
            {...select}
            className="w-48"
            label={t`Use of ${head}`}
            choices={uses}
            value={shown}
            onChange={change}
          />
        )}
      </SavedChoice>
      <div className="w-36">
        {units.length > 0 && (
          <SavedChoice<Unit | 'auto'>
            stored={unit ?? 'auto'}
            onChosen={(next) => onChange({ unit: next === 'auto' ? null : next })}
          >
            {(shown, change) => (
              <Select
                {...select}
                label={t`Unit of ${head}`}
                choices={[
                  { value: 'auto', label: use === 'other' ? t`No unit` : t`Detect unit` },
                  ...units.map((value) => ({ value, label: unitLabels[value] })),
                ]}
                value={shown}
                onChange={change}
              />
            )}
          </SavedChoice>
        )}
      </div>
    </div>
  );
};
