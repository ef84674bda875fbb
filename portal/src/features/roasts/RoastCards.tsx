import type { Roast } from '@roastery/contract/roasts';
import { formatDuration } from '@roastery/roasting/units';
import { memo, type ReactNode } from 'react';
import { Measure } from '../../components/figures.tsx';
import { useDates } from '../../format/preferences.ts';
import { exactWeight } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { Panel } from '../../ui/Card.tsx';
import { RecipeReference } from './RecipeReference.tsx';

const Lines = ({ lines }: { lines: readonly { label: string; value: ReactNode }[] }) => (
  <dl className="grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-6 px-4 py-3 text-sm print:grid-cols-[auto_1fr] print:gap-x-3 print:px-3 print:py-0.5 print:text-xs">
    {lines.map(({ label, value }) => (
      <div
        key={label}
        className="col-span-2 grid grid-cols-subgrid border-b border-stroke py-2 last:border-b-0 print:py-0.5"
      >
        <dt className="text-muted">{label}</dt>
        <dd className="min-w-0 text-right text-strong">{value ?? '--'}</dd>
      </div>
    ))}
  </dl>
);

export const CoffeeCard = memo(({ roast }: { roast: Roast }) => (
  <Panel title={t`Coffee Details`}>
    <Lines
      lines={[
        { label: t`Name`, value: roast.coffee_name },
        { label: t`Origin`, value: roast.coffee_origin },
        { label: t`Process`, value: roast.coffee_process },
        { label: t`Profile`, value: roast.profile_name },
      ]}
    />
    <RecipeReference roast={roast} />
  </Panel>
));

export const ParametersCard = memo(({ roast }: { roast: Roast }) => (
  <Panel title={t`Roast Parameters`}>
    <Lines
      lines={[
        { label: t`Duration`, value: <span className="figures">{formatDuration(roast.duration_seconds)}</span> },
        { label: t`Batch Size`, value: <Measure quantity="weight" value={roast.batch_size_kg} /> },
        { label: t`Drop Temp`, value: <Measure quantity="temperature" value={roast.drop_temp} /> },
        { label: t`Roasted Weight`, value: roast.end_weight_kg === null ? null : exactWeight(roast.end_weight_kg) },
        { label: t`Weight Loss`, value: <Measure quantity="share" value={weightLoss(roast)} /> },
      ]}
    />
  </Panel>
));

const weightLoss = ({ batch_size_kg: green, end_weight_kg: roasted }: Roast): number | null =>
  green === null || roasted === null || roasted > green ? null : (green - roasted) / green;

export const RecordCard = memo(({ roast }: { roast: Roast }) => {
  const dates = useDates();
  return (
    <Panel title={t`Recording`}>
      <Lines
        lines={[
          { label: t`Machine`, value: roast.machine_name },
          ...(roast.source_batch === null ? [] : [{ label: t`Imported as batch`, value: roast.source_batch }]),
          { label: t`Roasted by`, value: roast.roasted_by },
          { label: t`Charged`, value: <span className="figures">{dates.dayAndTime(roast.start_time)}</span> },
          {
            label: t`Clock`,
            value:
              roast.time_quality === 'synchronised' ? t`Synchronized` : t`Estimated: the board’s clock was not set`,
          },
        ]}
      />
      {roast.notes !== null && roast.notes !== '' && (
        <p className="border-t border-stroke px-4 py-3 text-sm whitespace-pre-line text-content">{roast.notes}</p>
      )}
    </Panel>
  );
});
