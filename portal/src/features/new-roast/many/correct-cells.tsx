import type { BodyOf } from '@roastery/contract/endpoint';
import { listMachines } from '@roastery/contract/machines';
import {
  correctImportFile,
  doubtfulProblems,
  type ImportFile,
  type RoastImport,
} from '@roastery/contract/roast-imports';
import { sentenceWithFields } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import { useApi, type InOrder } from '../../../api/use-api.ts';
import { useUser } from '../../../api/session.tsx';
import { attempt } from '../../../components/attempt.ts';
import { useAction } from '../../../components/use-action.ts';
import { DateTimeField } from '../../../components/date-fields.tsx';
import { LotField } from '../../../components/LotField.tsx';
import { MachineField } from '../../../components/MachineField.tsx';
import { SavedChoice, SavedText, SavedValue } from '../../../components/saved-fields.tsx';
import { WeightField } from '../../../components/number-fields.tsx';
import { exactWeightNumber, weightUnit } from '../../../format/weights.ts';
import { useDates } from '../../../format/preferences.ts';
import { instantOf, localTimeOf } from '../../../format/zoned-time.ts';
import { t } from '../../../language/t.ts';
import { Button, ButtonLink } from '../../../ui/Button.tsx';

interface CellProps {
  file: ImportFile;
  importId: string;
  /** Of files without their own. */
  forAll: Pick<RoastImport, 'machine_id' | 'lot_id'>;
  canCorrect: boolean;
  inOrder: InOrder;
  onChanged: () => Promise<void>;
}

/** Corrects the values of a file in an import, and checks the files again. */
const correct = (
  { importId, file, inOrder, onChanged }: Omit<CellProps, 'canCorrect' | 'forAll'>,
  body: BodyOf<typeof correctImportFile>,
): Promise<void> =>
  inOrder(async () => {
    await call(correctImportFile, { params: { id: importId, file_id: file.id }, body });
    await onChanged();
  });

const refusal = (error: unknown): string => sentenceWithFields(error, t`The file could not be corrected`);

/** The same, at once, from a field. */
const useCorrection = (cell: Omit<CellProps, 'canCorrect' | 'forAll'>) => ({
  correct: (body: BodyOf<typeof correctImportFile>) => attempt(() => correct(cell, body), refusal),
});

export const CoffeeCell = ({ file, canCorrect, ...saving }: CellProps) => {
  const { correct } = useCorrection({ file, ...saving });
  if (!canCorrect) return file.coffee_name;
  return (
    <SavedText
      label={t`Coffee of ${file.file_name}`}
      shown={file.coffee_name ?? ''}
      className="w-36"
      onTyped={(text) => correct({ coffee_name: text === '' ? null : text })}
    />
  );
};

export const DateCell = ({ file, canCorrect, ...saving }: CellProps) => {
  const dates = useDates();
  const { roastery_time_zone: timeZone } = useUser();
  const { correct } = useCorrection({ file, ...saving });
  if (!canCorrect) {
    return file.start_time === null ? null : <span className="figures">{dates.dayAndTime(file.start_time)}</span>;
  }
  return (
    <SavedValue
      field={DateTimeField}
      label={t`Charge of ${file.file_name}`}
      stored={file.start_time === null ? '' : localTimeOf(file.start_time, timeZone)}
      className="w-52 max-w-full"
      onTyped={(local) => {
        const instant = instantOf(local, timeZone);
        return instant === null ? undefined : correct({ start_time: instant });
      }}
    />
  );
};

const shown = (kg: number | null): string => (kg === null ? '--' : exactWeightNumber(kg));

export const WeightsCell = ({ file, canCorrect, ...saving }: CellProps) => {
  const { correct } = useCorrection({ file, ...saving });
  if (!canCorrect) {
    const weights = [file.batch_size_kg, file.end_weight_kg];
    return (
      <span className="figures">{weights.every((kg) => kg === null) ? '--' : weights.map(shown).join(' / ')}</span>
    );
  }
  const field = (label: string, name: 'batch_size_kg' | 'end_weight_kg') => (
    <SavedValue
      field={WeightField}
      label={label}
      unit={undefined}
      stored={file[name] === null ? '' : String(file[name])}
      className="w-18"
      onTyped={(kg) => (kg === '' || Number(kg) > 0 ? correct({ [name]: kg === '' ? null : Number(kg) }) : undefined)}
    />
  );
  return (
    <span className="flex gap-1.5 sm:justify-end">
      {field(t`Green weight of ${file.file_name}, ${weightUnit()}`, 'batch_size_kg')}
      {field(t`Roasted weight of ${file.file_name}, ${weightUnit()}`, 'end_weight_kg')}
    </span>
  );
};

export const MachineCell = ({ file, forAll, canCorrect, ...saving }: CellProps) => {
  const { correct } = useCorrection({ file, ...saving });
  const machineId = file.machine_id ?? forAll.machine_id;
  const { data: machines } = useApi(listMachines, { query: { sort: 'name' } });
  if (!canCorrect) return machines?.find(({ id }) => id === machineId)?.display_name ?? file.machine_name;
  return (
    <span className="block w-40 max-w-full">
      <SavedChoice stored={machineId} onChosen={(id) => correct({ machine_id: id })}>
        {(id, choose) => (
          <MachineField
            label={t`Machine of ${file.file_name}`}
            hideLabel
            size="sm"
            value={id}
            placeholder={file.machine_name ?? t`Choose a machine`}
            onChange={choose}
          />
        )}
      </SavedChoice>
    </span>
  );
};

export const LotCell = ({ file, forAll, canCorrect, ...saving }: CellProps) => {
  const { correct } = useCorrection({ file, ...saving });
  if (!canCorrect) return null;
  return (
    <span className="block w-40 max-w-full">
      <SavedChoice stored={file.lot_id ?? forAll.lot_id} onChosen={(id) => correct({ lot_id: id })}>
        {(id, choose) => (
          <LotField label={t`Lot of ${file.file_name}`} hideLabel size="sm" value={id} onChange={choose} />
        )}
      </SavedChoice>
    </span>
  );
};

/** Excludes a file, imports a duplicate all the same, or opens a file that needs more corrections. */
export const Decision = (cell: Omit<CellProps, 'canCorrect' | 'forAll'>) => {
  const { file, importId } = cell;
  const { run, isBusy } = useAction();
  const decide = (body: BodyOf<typeof correctImportFile>) => void run(() => correct(cell, body), refusal);
  const isDoubtful = doubtfulProblems.some((problem) => problem === file.problem);
  return (
    <span className="flex flex-wrap gap-1.5">
      {file.problem === 'left_out' ? (
        <Button busy={isBusy} onClick={() => decide({ left_out: false })}>{t`Include`}</Button>
      ) : (
        file.problem !== null && <Button busy={isBusy} onClick={() => decide({ left_out: true })}>{t`Skip`}</Button>
      )}
      {file.problem === 'duplicate' && (
        <Button busy={isBusy} onClick={() => decide({ left_out: false })}>{t`Import anyway`}</Button>
      )}
      {isDoubtful && <Button busy={isBusy} onClick={() => decide({ accepted: true })}>{t`Import anyway`}</Button>}
      {(isDoubtful || file.problem === 'columns' || file.problem === 'no_charge' || file.problem === 'check') && (
        <ButtonLink to={`/roasts/new?way=upload&upload=${file.id}&import=${importId}`}>{t`Open`}</ButtonLink>
      )}
    </span>
  );
};
