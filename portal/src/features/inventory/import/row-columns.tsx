import type { BodyOf } from '@roastery/contract/endpoint';
import {
  correctLotImportRow,
  lotImportFields,
  type LotImportField,
  type LotImportedRow,
  type LotRowProblem,
} from '@roastery/contract/lot-imports';
import { Link } from 'react-router-dom';
import { sentenceWithFields } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import type { InOrder } from '../../../api/use-api.ts';
import { attempt } from '../../../components/attempt.ts';
import { useAction } from '../../../components/use-action.ts';
import type { Column } from '../../../components/table/columns.ts';
import { paths } from '../../../components/paths.ts';
import { SavedText, SavedValue } from '../../../components/saved-fields.tsx';
import { WeightField } from '../../../components/number-fields.tsx';
import { useDates } from '../../../format/preferences.ts';
import { formatPrice, priceUnit } from '../../../format/money.ts';
import { exactWeightNumber, inOwnUnits, weightUnit } from '../../../format/weights.ts';
import { t } from '../../../language/t.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { lotLabels } from '../lot-form-values.ts';

export const fieldLabels = (): Record<LotImportField, string> => ({
  ...lotLabels(),
  total_cost: t`Cost of the whole lot`,
  current_weight: t`Weight left`,
  bags: t`Number of bags`,
  bag_weight: t`Weight of a bag`,
});

export const problemLabels: Record<LotRowProblem, string> = {
  invalid: t`Missing or unreadable`,
  exists: t`In the inventory`,
  twice: t`Duplicate in the list`,
  check: t`To check`,
  left_out: t`Skipped`,
  kept: t`Kept`,
};
const tones = {
  invalid: 'danger',
  exists: 'warning',
  twice: 'warning',
  check: 'info',
  left_out: 'neutral',
  kept: 'warning',
} as const;

const requiredFields = ['lot_number', 'coffee_name', 'origin', 'initial_weight'];
const labelOf = (field: string): string => {
  const known = lotImportFields.find((name) => name === field);
  return known === undefined ? t`Row` : fieldLabels()[known];
};

type Correction = BodyOf<typeof correctLotImportRow>;

interface CellProps {
  row: LotImportedRow;
  importId: string;
  canCorrect: boolean;
  inOrder: InOrder;
  onChanged: () => void;
}

/** Corrects the values of a row. */
const correct = ({ importId, row, inOrder, onChanged }: CellProps, body: Correction): Promise<void> =>
  inOrder(async () => {
    await call(correctLotImportRow, { params: { id: importId, line: String(row.line) }, body });
    onChanged();
  });

const refusal = (error: unknown): string => sentenceWithFields(error, t`The row could not be corrected`);

/** The same, at once, from a field. */
const useCorrection = (cell: CellProps) => ({
  correct: (body: Correction) => attempt(() => correct(cell, body), refusal),
});

const ProblemCell = (props: CellProps) => {
  const { row, canCorrect } = props;
  const { run, isBusy } = useAction();
  const decide = (body: Correction) => void run(() => correct(props, body), refusal);
  return (
    <span className="flex max-w-64 flex-col items-start gap-1 py-2 whitespace-normal">
      {row.state === 'imported' && <Badge tone="success">{t`Imported`}</Badge>}
      {row.state === 'undone' && row.problem === null && <Badge>{t`Undone`}</Badge>}
      {row.problem !== null && row.state !== 'imported' && (
        <Badge tone={tones[row.problem]}>{problemLabels[row.problem]}</Badge>
      )}
      {row.problem === 'invalid' &&
        row.errors.map(({ field, message }) => (
          <span key={field} className="text-xs text-danger">
            {labelOf(field)}: {inOwnUnits(message)}{' '}
            {canCorrect && !requiredFields.includes(field) && (
              <button
                type="button"
                className="text-accent-text underline"
                // A row with too many cells is imported as it is.
                disabled={isBusy}
                onClick={() => decide(field === 'row' ? { origin: row.values.origin ?? '' } : { [field]: null })}
              >
                {field === 'row' ? t`Import as it is` : t`Leave empty`}
              </button>
            )}
          </span>
        ))}
      {row.remarks.map((remark) => (
        <span key={remark} className="text-xs text-muted">
          {inOwnUnits(remark)}
        </span>
      ))}
      {canCorrect && row.problem !== null && (
        <Button busy={isBusy} onClick={() => decide({ left_out: row.problem !== 'left_out' })}>
          {row.problem === 'left_out' ? t`Include` : t`Skip`}
        </Button>
      )}
    </span>
  );
};

const TextCell = ({ field, ...props }: CellProps & { field: 'lot_number' | 'coffee_name' | 'origin' }) => {
  const { row, canCorrect } = props;
  const { correct } = useCorrection(props);
  const shown = row.values[field] ?? '';
  if (!canCorrect) {
    return field === 'lot_number' && row.lot_id !== null ? (
      <Link className="hover:underline" to={paths.editLot(row.lot_id)}>
        {shown}
      </Link>
    ) : (
      shown
    );
  }
  return (
    <SavedText
      label={t`${fieldLabels()[field]} of line ${row.line}`}
      shown={shown}
      className="w-36"
      onTyped={(text) => correct({ [field]: text })}
    />
  );
};

const WeightCell = ({ field, ...props }: CellProps & { field: 'initial_weight' | 'current_weight' }) => {
  const { row, canCorrect } = props;
  const { correct } = useCorrection(props);
  const kg = row.values[field];
  if (!canCorrect) return <span className="figures">{kg === null ? '--' : exactWeightNumber(kg)}</span>;
  return (
    <SavedValue
      field={WeightField}
      label={t`${fieldLabels()[field]} of line ${row.line}, ${weightUnit()}`}
      unit={undefined}
      stored={kg === null ? '' : String(kg)}
      className="w-24"
      onTyped={(typed) => {
        if (typed !== '') return correct({ [field]: Number(typed) });
        return field === 'current_weight' ? correct({ current_weight: null }) : undefined;
      }}
    />
  );
};

const DayCell = ({ day }: { day: string | null }) => {
  const dates = useDates();
  return <span className="figures">{day === null ? '--' : dates.figures(day.slice(0, 10))}</span>;
};

/** Columns of the review. Fields are offered while the import is open. */
export const rowColumns = (
  isOpen: boolean,
  saving: Pick<CellProps, 'importId' | 'inOrder' | 'onChanged'>,
): Column<LotImportedRow>[] => {
  const props = (row: LotImportedRow): CellProps => ({ row, ...saving, canCorrect: isOpen && row.state === 'read' });
  return [
    {
      id: 'line',
      label: t`Line`,
      sort: 'line',
      width: 'w-16',
      cell: ({ line }) => <span className="figures">{line}</span>,
    },
    { id: 'problem', label: t`Status`, sort: 'problem', cell: (row) => <ProblemCell {...props(row)} /> },
    {
      id: 'lot',
      label: t`Lot number`,
      isName: true,
      sort: 'lot_number',
      cell: (row) => <TextCell {...props(row)} field="lot_number" />,
    },
    {
      id: 'coffee',
      label: t`Coffee name`,
      sort: 'coffee_name',
      cell: (row) => <TextCell {...props(row)} field="coffee_name" />,
    },
    { id: 'origin', label: t`Origin`, cell: (row) => <TextCell {...props(row)} field="origin" /> },
    {
      id: 'weight',
      label: t`Initial weight, ${weightUnit()}`,
      sort: 'initial_weight',
      align: 'right',
      cell: (row) => <WeightCell {...props(row)} field="initial_weight" />,
    },
    {
      id: 'left',
      label: t`Weight left, ${weightUnit()}`,
      align: 'right',
      cell: (row) => <WeightCell {...props(row)} field="current_weight" />,
    },
    {
      id: 'cost',
      label: t`Cost per ${priceUnit()}`,
      align: 'right',
      cell: ({ values: { cost_per_kg: cost } }) => (
        <span className="figures">{cost === null ? '--' : formatPrice(cost)}</span>
      ),
    },
    {
      id: 'bought',
      label: t`Purchase date`,
      cell: ({ values: { purchase_date: day } }) => <DayCell day={day} />,
    },
  ];
};
