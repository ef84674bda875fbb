import {
  createBlend,
  getBlend,
  listBlendableRoasts,
  listBlends,
  updateBlend,
  type Blend,
} from '@roastery/contract/blends';
import { Trash2 } from 'lucide-react';
import { useWatch } from 'react-hook-form';
import { formatPercent } from '../../format/numbers.ts';
import { exactWeight, exactWeightNumber, weightUnit } from '../../format/weights.ts';
import { ApiError, sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { PageForm } from '../../components/form/RecordForm.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { useRemoval } from '../../components/form/use-removal.ts';
import { paths } from '../../components/paths.ts';
import { roastName } from '../../components/live/roast-texts.ts';
import { t } from '../../language/t.ts';
import { Panel } from '../../ui/Card.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { WeightField } from '../../components/number-fields.tsx';
import { TextArea, TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import {
  blendResolver,
  emptyBlend,
  lineError,
  lineOfRoast,
  shareOf,
  totalKg,
  valuesOfBlend,
  type BlendLine,
  type BlendValues,
} from './blend-values.ts';
import { BlendableRoasts } from './BlendableRoasts.tsx';

const valuesOf = (blend: Blend | undefined): BlendValues => (blend === undefined ? emptyBlend : valuesOfBlend(blend));

const labels = { name: t`Name`, notes: t`Notes`, lines: t`Roasts` };

/** The messages of the fields name the roast: they are shown without the names of the fields. */
const failureOf = (error: unknown): string =>
  error instanceof ApiError && error.fields.length > 0
    ? error.fields.map(({ message }) => message).join('\n')
    : sentenceFor(error, t`Failed to save blend`);

/** Name, roasts with their kilograms, and the share of each. `blend` is edited; without it a new one is created. */
export const BlendForm = ({ blend }: { blend?: Blend }) => {
  // At most the weight left of a roast, plus its weight in this blend.
  const { data: left } = useApi(
    listBlendableRoasts,
    blend === undefined ? null : { query: { limit: 500, blend_id: blend.id } },
  );
  const leftById = new Map(left?.roasts.map((roast) => [roast.roast_id, roast.left_kg]));
  const withLeft = (line: BlendLine): BlendLine => ({ ...line, leftKg: leftById.get(line.roastId) ?? line.leftKg });
  const deleted = blend?.components.filter((component) => component.roast_id === null) ?? [];
  const form = useRecordForm({
    values: valuesOf(blend),
    resolver: blendResolver(withLeft, deleted.length > 0),
    fields: ['name'],
    failure: failureOf,
    invalid: t`Please fix the errors in the form`,
    ...(blend !== undefined && {
      edited: {
        noun: 'blend',
        record: blend,
        valuesOf,
        labels,
        textOf: (_field: string, value: string | readonly BlendLine[]) =>
          typeof value === 'string'
            ? value
            : value.map(({ name, kg }) => `${name} ${exactWeight(Number(kg))}`).join(', '),
        read: () => call(getBlend, { params: { id: blend.id } }),
      },
    }),
    save: async (body, { revision }) => {
      try {
        return await (blend === undefined
          ? call(createBlend, { body })
          : call(updateBlend, { params: { id: blend.id }, body: { ...body, revision } }));
      } finally {
        // Another blend may have used the same roasts.
        await refresh(listBlendableRoasts);
      }
    },
    saved: async (saved, { leaveTo }) => {
      await refresh(listBlends);
      toast(blend === undefined ? t`Blend ${saved.name} saved` : t`Blend ${saved.name} updated`);
      leaveTo(paths.blends);
    },
  });
  const { field, hookForm } = form;
  const lines = useWatch({ control: hookForm.control, name: 'lines' }).map(withLeft);
  const wasSent = hookForm.formState.isSubmitted;
  const setLines = (next: readonly BlendLine[]) => hookForm.setValue('lines', next, { shouldDirty: true });
  const remove = useRemoval(lines, setLines);
  const isEmpty = lines.length === 0 && deleted.length === 0;
  const total = totalKg(
    lines,
    deleted.reduce((sum, { kg }) => sum + kg, 0),
  );
  return (
    <PageForm
      of={form}
      label={blend === undefined ? t`New blend` : t`Blend ${blend.name}`}
      submit={blend === undefined ? t`Save blend` : t`Update blend`}
      cancelTo={paths.blends}
    >
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <Panel title={t`Blend`}>
            <div className="flex flex-col gap-4 p-4">
              <TextField label={t`Name`} required maxLength={120} {...field('name')} />
              <TextArea label={t`Notes`} rows={2} {...field('notes')} />
            </div>
          </Panel>
          <Panel
            title={t`Roasts in the blend`}
            actions={
              <span className="figures text-base text-strong">
                {exactWeightNumber(total)} <span className="text-sm text-muted">{weightUnit()}</span>
              </span>
            }
          >
            {isEmpty ? (
              <p className={`px-4 py-6 text-base ${wasSent ? 'text-danger' : 'text-muted'}`}>
                {t`Add at least one roast from the list.`}
              </p>
            ) : (
              <>
                <ShareBar lines={lines} total={total} />
                <ul aria-label={t`Roasts in the blend`} className="divide-y divide-stroke">
                  {lines.map((line) => (
                    <Line
                      key={line.roastId}
                      line={line}
                      share={shareOf(line, total)}
                      showError={wasSent || line.kg !== ''}
                      onChange={(changed) =>
                        setLines(lines.map((other) => (other.roastId === changed.roastId ? changed : other)))
                      }
                      onRemove={() => remove(line, t`${line.name} was removed`)}
                    />
                  ))}
                </ul>
              </>
            )}
            {deleted.length > 0 && (
              <p className="border-t border-stroke px-4 py-2.5 text-sm text-muted">
                {t`Deleted roasts that stay in the blend: ${deleted
                  .map((component) => `${roastName(component)} ${exactWeight(component.kg)}`)
                  .join(', ')}`}
              </p>
            )}
          </Panel>
        </div>
        <BlendableRoasts
          blendId={blend?.id}
          chosen={lines.map(({ roastId }) => roastId)}
          onChoose={(roast) => setLines([...lines, lineOfRoast(roast)])}
        />
      </div>
    </PageForm>
  );
};

interface LineProps {
  line: BlendLine;
  /** Of the blend, 0 to 1; null while it is unknown. */
  share: number | null;
  showError: boolean;
  onChange: (line: BlendLine) => void;
  onRemove: () => void;
}

const Line = ({ line, share, showError, onChange, onRemove }: LineProps) => {
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1 py-1 max-sm:basis-full">
        <p className="truncate text-base font-medium text-strong">{line.name}</p>
      </div>
      <WeightField
        label={t`Weight of ${line.name}`}
        hideLabel
        min={0}
        step={0.1}
        className="w-36 max-sm:flex-1"
        value={line.kg}
        error={showError ? (lineError(line) ?? undefined) : undefined}
        hint={line.leftKg === undefined ? undefined : t`${exactWeight(line.leftKg)} left`}
        onChange={(event) => onChange({ ...line, kg: event.target.value })}
      />
      <span className="figures w-12 py-2 text-right text-base text-strong">
        {share === null ? '--' : formatPercent(share, 0)}
      </span>
      <IconButton
        label={t`Remove ${line.name}`}
        tone="danger"
        icon={<Trash2 aria-hidden />}
        onClick={onRemove}
        className="mt-1"
      />
    </li>
  );
};

const shades = ['bg-accent', 'bg-accent/70', 'bg-accent/45', 'bg-accent/25'];

/** The share of each roast as a length; the list below has the figures. */
const ShareBar = ({ lines, total }: { lines: readonly BlendLine[]; total: number }) => (
  <div aria-hidden className="flex h-2 gap-px overflow-hidden bg-sunken">
    {lines.map((line, place) => (
      <span
        key={line.roastId}
        className={shades[place % shades.length]}
        style={{ width: `${(shareOf(line, total) ?? 0) * 100}%` }}
      />
    ))}
  </div>
);
