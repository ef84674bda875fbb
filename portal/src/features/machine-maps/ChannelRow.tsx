import { Trash2 } from 'lucide-react';
import { t } from '../../language/t.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import type { ChannelDraft, DraftProblems } from './map-draft.ts';
import { RegisterFields } from './RegisterFields.tsx';

interface ChannelRowProps {
  row: number;
  channel: ChannelDraft;
  problems: DraftProblems;
  onChange: (change: Partial<ChannelDraft>) => void;
  onDelete: () => void;
}

/** One channel: address, decoding, unit and range. */
export const ChannelRow = ({ row, channel, problems, onChange, onDelete }: ChannelRowProps) => {
  const name = channel.name === '' ? t`channel ${row + 1}` : channel.name;
  return (
    <fieldset className="grid min-w-0 grid-cols-2 items-start gap-3 border-b border-stroke p-4 last:border-0 sm:grid-cols-4 xl:grid-cols-[2fr_1.3fr_1fr_1fr_1fr_1fr_1fr_1fr_1fr_auto]">
      <legend className="sr-only">{name}</legend>
      <RegisterFields
        label={t`Channel`}
        register={channel}
        problem={(field) => problems[`channels.${row}.${field}`]}
        onChange={onChange}
        openRange
      />
      <div className="self-end justify-self-end max-sm:col-start-2 sm:max-xl:col-start-4">
        <IconButton label={t`Delete ${name}`} tone="danger" icon={<Trash2 aria-hidden />} onClick={onDelete} />
      </div>
    </fieldset>
  );
};
