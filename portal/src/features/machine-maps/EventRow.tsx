import { Trash2 } from 'lucide-react';
import { t } from '../../language/t.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { eventLabels, eventNames, type EventDraft } from './event-draft.ts';
import type { DraftProblems } from './map-draft.ts';

interface EventRowProps {
  row: number;
  event: EventDraft;
  /** Events that have a row. */
  taken: readonly string[];
  problems: DraftProblems;
  onChange: (change: Partial<EventDraft>) => void;
  onDelete: () => void;
}

/** One event: the signal bit of the machine, and the writes that trigger it. */
export const EventRow = ({ row, event, taken, problems, onChange, onDelete }: EventRowProps) => {
  const problem = (field: string) => problems[`events.${row}.${field}`];
  const text = (field: 'when' | 'on') => ({
    value: event[field],
    onChange: (change: { target: { value: string } }) => onChange({ [field]: change.target.value }),
    error: problem(field),
    autoComplete: 'off',
    spellCheck: false,
    size: 'sm' as const,
    mono: true,
  });
  return (
    <fieldset className="grid min-w-0 grid-cols-2 items-start gap-3 border-b border-stroke p-4 last:border-0 lg:grid-cols-[1fr_1fr_3fr_auto]">
      <legend className="sr-only">{t`Event ${eventLabels[event.name]}`}</legend>
      <Select
        label={t`Event`}
        size="sm"
        choices={eventNames
          .filter((name) => name === event.name || !taken.includes(name))
          .map((value) => ({ value, label: eventLabels[value] }))}
        value={event.name}
        onChange={(name) => onChange({ name })}
        error={problem('name')}
      />
      <TextField label={t`Machine signal`} placeholder={t`none`} {...text('when')} />
      <TextField
        label={t`Writes that trigger it`}
        placeholder={t`h:1008 = 2, wait 10 s, h:1008 = 5`}
        className="col-span-2 lg:col-span-1"
        {...text('on')}
      />
      <div className="self-end justify-self-end max-lg:col-start-2">
        <IconButton
          label={t`Delete event ${eventLabels[event.name]}`}
          tone="danger"
          icon={<Trash2 aria-hidden />}
          onClick={onDelete}
        />
      </div>
    </fieldset>
  );
};
