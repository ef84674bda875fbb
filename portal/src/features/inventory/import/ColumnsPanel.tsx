import type { BodyOf } from '@roastery/contract/endpoint';
import {
  changeLotImport,
  isDayField,
  lotImportFields,
  unitsOfField,
  type LotImport,
  type LotImportColumn,
  type LotImportField,
  type LotImportUnit,
} from '@roastery/contract/lot-imports';
import { sentenceWithFields } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import type { InOrder } from '../../../api/use-api.ts';
import { attempt } from '../../../components/attempt.ts';
import { SavedChoice, SavedText, SavedValue } from '../../../components/saved-fields.tsx';
import { WeightField } from '../../../components/number-fields.tsx';
import { weightUnit } from '../../../format/weights.ts';
import { t } from '../../../language/t.ts';
import { Panel } from '../../../ui/Card.tsx';
import { Select } from '../../../ui/Select.tsx';
import { fieldLabels } from './row-columns.tsx';

/** Units of the file, not of the person. Units of weight and length are their own label. */
const unitLabels: Partial<Record<LotImportUnit, string>> = {
  per_kg: t`per ${'kg'}`,
  per_lb: t`per ${'lb'}`,
  cents_per_lb: t`cents per ${'lb'}`,
  per_bag: t`per bag`,
  g_ml: 'g/mL',
  g_l: 'g/L',
};

const orders = [
  { value: 'dmy', label: t`Day, month, year` },
  { value: 'mdy', label: t`Month, day, year` },
  { value: 'ymd', label: t`Year, month, day` },
] as const;
const signs = [
  { value: '.', label: t`Decimal point` },
  { value: ',', label: t`Decimal comma` },
] as const;
const fields = () => {
  const labels = fieldLabels();
  return [
    { value: 'none', label: t`Not imported` },
    ...lotImportFields.map((value) => ({ value, label: labels[value] })),
  ] as const;
};

type ColumnChoice = NonNullable<BodyOf<typeof changeLotImport>['columns']>[string];

interface ColumnsPanelProps {
  import: LotImport;
  inOrder: InOrder;
  isSaving: boolean;
  onChanged: (next: LotImport) => Promise<void>;
}

/** The meaning of a list's columns: guessed, until a person changes it. */
export const ColumnsPanel = ({ import: one, inOrder, isSaving, onChanged }: ColumnsPanelProps) => {
  const change = (body: BodyOf<typeof changeLotImport>) =>
    attempt(
      async () => onChanged(await inOrder(() => call(changeLotImport, { params: { id: one.id }, body }))),
      (error) => sentenceWithFields(error, t`The list could not be read again`),
    );
  return (
    <Panel title={t`Columns of ${one.file_name}`}>
      <div aria-busy={isSaving} className="flex flex-col gap-4 p-4">
        {one.sheets.length > 1 && (
          <SavedChoice stored={one.sheet} onChosen={(sheet) => change({ sheet: sheet ?? undefined })}>
            {(sheet, choose) => (
              <Select
                label={t`Sheet`}
                className="max-w-64"
                choices={one.sheets.map((value) => ({ value, label: value }))}
                value={sheet}
                onChange={choose}
              />
            )}
          </SavedChoice>
        )}
        {one.notes.map((note) => (
          <p key={note} className="text-sm text-muted">
            {note}
          </p>
        ))}
        <ul className="divide-y divide-stroke border-y border-stroke">
          {one.columns.map((column, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- two columns can have one name
            <li key={at} className="grid items-start gap-x-4 gap-y-2 py-2.5 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
              <ColumnHead column={column} />
              <ColumnChoices
                column={column}
                name={column.head === '' ? t`column ${at + 1}` : column.head}
                onChoice={(choice) => change({ columns: { [at]: choice } })}
              />
            </li>
          ))}
        </ul>
        <RowDefaults import={one} onChange={change} />
      </div>
    </Panel>
  );
};

const ColumnHead = ({ column: { head, samples, notes } }: { column: LotImportColumn }) => (
  <div className="min-w-0">
    <p className="truncate text-sm font-medium text-strong" title={head}>
      {head === '' ? t`without a name` : head}
    </p>
    <p className="truncate font-mono text-xs text-muted">{samples.length === 0 ? t`empty` : samples.join(' · ')}</p>
    {notes.map((note) => (
      <p key={note} className="text-xs text-warning">
        {note}
      </p>
    ))}
  </div>
);

interface ColumnChoicesProps {
  column: LotImportColumn;
  name: string;
  onChoice: (choice: ColumnChoice) => Promise<void>;
}

const ColumnChoices = ({ column, name, onChoice }: ColumnChoicesProps) => {
  const { field, unit, decimal, date_order: order, notes } = column;
  const units = unitsOfField(field);
  const asksSign = decimal !== null || notes.some((note) => note.startsWith('Comma or point'));
  const select = { hideLabel: true, size: 'sm', className: 'w-44 max-w-full' } as const;
  return (
    <div className="flex flex-wrap gap-2">
      <SavedChoice<LotImportField | 'none'>
        stored={field ?? 'none'}
        onChosen={(next) => onChoice({ field: next === 'none' ? null : next })}
      >
        {(shown, choose) => (
          <Select {...select} label={t`Field of ${name}`} choices={fields()} value={shown} onChange={choose} />
        )}
      </SavedChoice>
      {units.length > 0 && (
        <SavedChoice stored={unit} onChosen={(next) => onChoice({ unit: next })}>
          {(shown, choose) => (
            <Select
              {...select}
              label={t`Unit of ${name}`}
              choices={units.map((value) => ({ value, label: unitLabels[value] ?? value }))}
              value={shown}
              onChange={choose}
            />
          )}
        </SavedChoice>
      )}
      {asksSign && (
        <SavedChoice stored={decimal} onChosen={(next) => onChoice({ decimal: next })}>
          {(shown, choose) => (
            <Select
              {...select}
              label={t`Decimal sign of ${name}`}
              placeholder={t`Choose the decimal sign`}
              choices={signs}
              value={shown}
              onChange={choose}
            />
          )}
        </SavedChoice>
      )}
      {isDayField(field) && (order !== null || column.is_order_open) && (
        <SavedChoice stored={order} onChosen={(next) => onChoice({ date_order: next })}>
          {(shown, choose) => (
            <Select
              {...select}
              label={t`Order of the dates of ${name}`}
              placeholder={t`Choose the order`}
              choices={orders}
              value={shown}
              onChange={choose}
            />
          )}
        </SavedChoice>
      )}
    </div>
  );
};

interface RowDefaultsProps {
  import: LotImport;
  onChange: (body: BodyOf<typeof changeLotImport>) => Promise<void>;
}

/** Default values of rows without their own. */
const RowDefaults = ({ import: one, onChange }: RowDefaultsProps) => {
  const field = { hideLabel: false, className: 'w-56 max-w-full' } as const;
  return (
    <div className="flex flex-wrap gap-4">
      <SavedText
        {...field}
        label={t`Prefix for missing lot numbers`}
        shown={one.number_prefix ?? ''}
        onTyped={(text) => onChange({ number_prefix: text === '' ? null : text })}
      />
      <SavedText
        {...field}
        label={t`Origin if missing`}
        shown={one.origin ?? ''}
        onTyped={(text) => onChange({ origin: text === '' ? null : text })}
      />
      <SavedValue
        {...field}
        field={WeightField}
        label={t`Weight of a bag, ${weightUnit()}`}
        unit={undefined}
        stored={one.bag_kg === null ? '' : String(one.bag_kg)}
        onTyped={(kg) =>
          kg === '' || Number(kg) > 0 ? onChange({ bag_kg: kg === '' ? null : Number(kg) }) : undefined
        }
      />
    </div>
  );
};
