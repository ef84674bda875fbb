import { Trash2 } from 'lucide-react';
import { t } from '../../language/t.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import type { DraftProblems } from './map-draft.ts';
import type { OutputDraft } from './output-draft.ts';
import { figureField, RegisterFields } from './RegisterFields.tsx';

interface OutputRowProps {
  row: number;
  output: OutputDraft;
  /** Names of the map's channels: one of them reads the output back. */
  channels: readonly string[];
  problems: DraftProblems;
  onChange: (change: Partial<OutputDraft>) => void;
  onDelete: () => void;
}

/** One output: address, bounds, and the channel that reads it back. */
export const OutputRow = ({ row, output, channels, problems, onChange, onDelete }: OutputRowProps) => {
  const problem = (field: string) => problems[`outputs.${row}.${field}`];
  const text = (field: 'maxPerSecond' | 'safe') => ({
    ...figureField,
    value: output[field],
    onChange: (event: { target: { value: string } }) => onChange({ [field]: event.target.value }),
  });
  const name = output.name === '' ? t`output ${row + 1}` : output.name;
  const readbacks = [...new Set([...channels.filter(Boolean), ...(output.readback === '' ? [] : [output.readback])])];
  return (
    <fieldset className="grid min-w-0 grid-cols-2 items-start gap-3 border-b border-stroke p-4 last:border-0 sm:grid-cols-4 xl:grid-cols-7">
      <legend className="sr-only">{t`Output ${name}`}</legend>
      <RegisterFields label={t`Output`} register={output} problem={problem} onChange={onChange} />
      <TextField
        label={t`Max change per second`}
        inputMode="decimal"
        placeholder={t`any`}
        error={problem('maxPerSecond')}
        {...text('maxPerSecond')}
      />
      <TextField
        label={t`Safe value`}
        inputMode="decimal"
        placeholder={t`none`}
        error={problem('safe')}
        {...text('safe')}
      />
      <Select
        label={t`Read back by`}
        size="sm"
        choices={[{ value: 'none', label: t`Nothing` }, ...readbacks.map((value) => ({ value, label: value }))]}
        value={output.readback === '' ? 'none' : output.readback}
        onChange={(readback) => onChange({ readback: readback === 'none' ? '' : readback })}
        error={problem('readback')}
      />
      <div className="self-end justify-self-end max-sm:col-start-2 sm:max-xl:col-start-4 xl:col-start-7">
        <IconButton label={t`Delete output ${name}`} tone="danger" icon={<Trash2 aria-hidden />} onClick={onDelete} />
      </div>
    </fieldset>
  );
};
