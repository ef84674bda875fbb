import { Trash2 } from 'lucide-react';
import { IconButton } from '../../ui/IconButton.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { encodingChoices, orderChoices, unitChoices } from './field-choices.ts';
import { units, type ChannelDraft, type DraftProblems } from './map-draft.ts';

interface ChannelRowProps {
  row: number;
  channel: ChannelDraft;
  problems: DraftProblems;
  onChange: (change: Partial<ChannelDraft>) => void;
  onDelete: () => void;
}

/** One channel: where it lies, how it is read, what it means. */
export const ChannelRow = ({ row, channel, problems, onChange, onDelete }: ChannelRowProps) => {
  const problem = (field: string) => problems[`channels.${row}.${field}`];
  const text = (field: 'name' | 'at' | 'scale' | 'offset' | 'low' | 'high') => ({
    value: channel[field],
    onChange: (event: { target: { value: string } }) => onChange({ [field]: event.target.value }),
    autoComplete: 'off',
    size: 'sm' as const,
    mono: true,
  });
  const name = channel.name === '' ? `channel ${row + 1}` : channel.name;
  return (
    <fieldset className="grid min-w-0 grid-cols-2 items-start gap-3 border-b border-stroke p-4 last:border-0 sm:grid-cols-4 xl:grid-cols-[2fr_1.3fr_1fr_1fr_1fr_1fr_1fr_1fr_1fr_auto]">
      <legend className="sr-only">{name}</legend>
      <TextField label="Channel" spellCheck={false} error={problem('name')} {...text('name')} />
      <TextField label="Address" spellCheck={false} error={problem('at')} {...text('at')} />
      <Select
        label="Type"
        size="sm"
        choices={encodingChoices}
        value={channel.as}
        onChange={(as) => onChange({ as })}
        error={problem('as')}
      />
      <Select
        label="Order"
        size="sm"
        choices={orderChoices}
        value={channel.order}
        onChange={(order) => onChange({ order })}
        error={problem('order')}
      />
      <TextField label="Scale" inputMode="decimal" error={problem('scale')} {...text('scale')} />
      <TextField label="Offset" inputMode="decimal" error={problem('offset')} {...text('offset')} />
      <Select
        label="Unit"
        size="sm"
        choices={unitChoices}
        value={channel.unit === '' ? 'none' : channel.unit}
        onChange={(unit) => onChange({ unit: units.find((known) => known === unit) ?? '' })}
        error={problem('unit')}
      />
      <TextField label="From" inputMode="decimal" placeholder="any" error={problem('range')} {...text('low')} />
      <TextField label="To" inputMode="decimal" placeholder="any" {...text('high')} />
      <div className="self-end justify-self-end max-sm:col-start-2">
        <IconButton label={`Delete ${name}`} tone="danger" icon={<Trash2 aria-hidden />} onClick={onDelete} />
      </div>
    </fieldset>
  );
};
