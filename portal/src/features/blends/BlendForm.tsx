import type { Blend } from '@roastery/contract/blends';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { FormActions } from '../../components/FormActions.tsx';
import { FormError } from '../../components/forms.tsx';
import { paths } from '../../components/paths.ts';
import { formatExactKilograms, formatPercent } from '../../format/numbers.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { NumberField, TextArea, TextField } from '../../ui/TextField.tsx';
import { BlendableRoasts } from './BlendableRoasts.tsx';
import { lineError, lineOfRoast, shareOf, totalKg, type BlendLine, type BlendValues } from './blend-values.ts';
import { ShareBar } from './ShareBar.tsx';

interface BlendFormProps {
  values: BlendValues;
  onChange: (values: BlendValues) => void;
  /** The blend that is edited; without one a new blend is made. */
  blend?: Blend | undefined;
  failure: string | null;
  busy: boolean;
  onSubmit: () => void;
}

/** Name, roasts with their kilograms, and what each makes of the whole. */
export const BlendForm = ({ values, onChange, blend, failure, busy, onSubmit }: BlendFormProps) => {
  const [wasSent, setSent] = useState(false);
  const { name, notes, lines } = values;
  const nameError = name.trim() === '' ? 'Name is required' : undefined;
  const setLine = (changed: BlendLine) =>
    onChange({ ...values, lines: lines.map((line) => (line.roastId === changed.roastId ? changed : line)) });
  const deleted = blend?.components.filter((component) => component.roast_id === null) ?? [];
  const isEmpty = lines.length === 0 && deleted.length === 0;
  const isRight = nameError === undefined && !isEmpty && lines.every((line) => lineError(line) === null);
  const total = totalKg(
    lines,
    deleted.reduce((sum, { kg }) => sum + kg, 0),
  );
  return (
    <form
      noValidate
      aria-label={blend === undefined ? 'New blend' : `Blend ${blend.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        setSent(true);
        if (isRight) onSubmit();
      }}
      className="flex min-w-0 flex-col gap-4"
    >
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Panel title="Blend">
            <div className="flex flex-col gap-4 p-4">
              <TextField
                label="Name"
                required
                maxLength={120}
                value={name}
                error={wasSent ? nameError : undefined}
                onChange={(event) => onChange({ ...values, name: event.target.value })}
              />
              <TextArea
                label="Notes"
                rows={2}
                value={notes}
                onChange={(event) => onChange({ ...values, notes: event.target.value })}
              />
            </div>
          </Panel>
          <Panel
            title="Roasts in it"
            actions={
              <span className="figures text-base text-strong">
                {formatExactKilograms(total)} <span className="text-sm text-muted">kg</span>
              </span>
            }
          >
            {isEmpty ? (
              <p className={`px-4 py-6 text-base ${wasSent ? 'text-danger' : 'text-muted'}`}>
                Add at least one roast from the list.
              </p>
            ) : (
              <>
                <ShareBar lines={lines} total={total} />
                <ul aria-label="Roasts in the blend" className="divide-y divide-stroke">
                  {lines.map((line) => (
                    <Line
                      key={line.roastId}
                      line={line}
                      share={shareOf(line, total)}
                      showError={wasSent || line.kg !== ''}
                      onChange={setLine}
                      onRemove={() =>
                        onChange({ ...values, lines: lines.filter(({ roastId }) => roastId !== line.roastId) })
                      }
                    />
                  ))}
                </ul>
              </>
            )}
            {deleted.length > 0 && (
              <p className="border-t border-stroke px-4 py-2.5 text-sm text-muted">
                Roasts that were deleted since stay in it:{' '}
                {deleted
                  .map(
                    ({ roast_number: number, coffee_name: coffee, kg }) =>
                      `${number}${coffee === null ? '' : ` ${coffee}`} ${kg} kg`,
                  )
                  .join(', ')}
              </p>
            )}
          </Panel>
        </div>
        <BlendableRoasts
          blendId={blend?.id}
          chosen={lines.map(({ roastId }) => roastId)}
          onChoose={(roast) => onChange({ ...values, lines: [...lines, lineOfRoast(roast)] })}
        />
      </div>
      <FormActions>
        <FormError text={failure ?? (wasSent && !isRight ? 'Please fix the errors in the form' : null)} />
        <div className="flex justify-end gap-2">
          <ButtonLink size="md" to={paths.blends}>
            Cancel
          </ButtonLink>
          <Button size="md" kind="primary" type="submit" busy={busy}>
            {blend === undefined ? 'Save blend' : 'Update blend'}
          </Button>
        </div>
      </FormActions>
    </form>
  );
};

interface LineProps {
  line: BlendLine;
  /** Of the blend, 0 to 1; null while nobody knows. */
  share: number | null;
  showError: boolean;
  onChange: (line: BlendLine) => void;
  onRemove: () => void;
}

const Line = ({ line, share, showError, onChange, onRemove }: LineProps) => {
  const title = `${line.roastNumber}${line.coffeeName === null ? '' : ` ${line.coffeeName}`}`;
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1 py-1 max-sm:basis-full">
        <p className="truncate text-base font-medium text-strong">{line.coffeeName ?? 'Unnamed Roast'}</p>
        <p className="truncate font-mono text-xs text-muted">{line.roastNumber}</p>
      </div>
      <NumberField
        label={`Kilograms of ${title}`}
        hideLabel
        unit="kg"
        min={0}
        step={0.1}
        className="w-36 max-sm:flex-1"
        value={line.kg}
        error={showError ? (lineError(line) ?? undefined) : undefined}
        hint={line.leftKg === undefined ? undefined : `${formatExactKilograms(line.leftKg)} kg left`}
        onChange={(event) => onChange({ ...line, kg: event.target.value })}
      />
      <span className="figures w-12 py-2 text-right text-base text-strong">
        {share === null ? '--' : formatPercent(share, 0)}
      </span>
      <IconButton
        label={`Take out ${title}`}
        tone="danger"
        icon={<Trash2 aria-hidden />}
        onClick={onRemove}
        className="mt-1"
      />
    </li>
  );
};
