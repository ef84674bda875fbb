import { type Lot, lotBodyShape } from '@roastery/contract/inventory';
import { nextTurn } from '@roastery/runtime/turns';
import { csvStart, writeCsvRow } from '../../sheets/csv.ts';
import type { ReaderFormats } from '../../format/reader-formats.ts';
import type { LotForm } from './create-lot.ts';

type LotField = keyof LotForm;
const fields = Object.keys(lotBodyShape.shape) as LotField[];
const dayFields: ReadonlySet<LotField> = new Set<LotField>(['harvest_date', 'purchase_date']);

/** Columns that only the ledger or the clock changes: exported for readers; an import only uses the current weight. */
const derivedFields = [
  'current_weight',
  'percentage_remaining',
  'estimated_runout_days',
  'usage_count',
  'status',
  'registration_date',
] as const satisfies readonly (keyof Lot)[];

/** Written in one turn: a millisecond. */
const lotsAtOnce = 50;

const dayOf = (instant: string | null) => instant?.slice(0, 10) ?? null;

/** Lots as CSV: one column for each field of an import, then the figures of the ledger. */
export const writeLotsCsv = async (
  lots: readonly Lot[],
  { weightUnit, weightNumber }: ReaderFormats,
): Promise<string> => {
  const head = (field: string) => (weightUnit !== 'kg' && isWeight(field) ? `${field} (${weightUnit})` : field);
  const cellOf = (lot: Lot, field: keyof Lot) => {
    const value = lot[field];
    return isWeight(field) && typeof value === 'number' ? weightNumber(value) : value;
  };
  let text = csvStart + writeCsvRow([...fields, ...derivedFields].map(head));
  for (const [place, lot] of lots.entries()) {
    text += writeCsvRow([
      ...fields.map((field) => (dayFields.has(field) ? dayOf(String(lot[field] ?? '')) : cellOf(lot, field))),
      ...derivedFields.map((field) => cellOf(lot, field)),
    ]);
    if (place % lotsAtOnce === lotsAtOnce - 1) await nextTurn();
  }
  return text;
};

const isWeight = (field: string): boolean => field === 'initial_weight' || field === 'current_weight';
