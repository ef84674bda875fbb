import type { FollowedPlan } from '@roastery/contract/roast-plan';
import type { CurveColumns } from '@roastery/contract/roast-curves';
import type { Roast } from '@roastery/contract/roasts';
import { guideOf, meanDeviation } from '@roastery/roasting/recipe/guide';
import { formatDuration } from '@roastery/roasting/units';
import { useMemo, type ReactNode } from 'react';
import { stepStyles } from '../../components/chart/curves.ts';
import { Difference, Measure } from '../../components/figures.tsx';
import { t } from '../../language/t.ts';
import { Panel } from '../../ui/Card.tsx';

const originOf = ({ id, recipe }: FollowedPlan): string => {
  if (recipe === null) return t`Planned without a recipe`;
  return id === null ? t`${recipe.name}, current version` : t`${recipe.name}, as planned`;
};

interface PlanBesideRoastProps {
  plan: FollowedPlan;
  roast: Roast;
  curve: CurveColumns | undefined;
}

const controlOf = { gas: 'burner', airflow: 'exhaust', drum: 'drumRpm' } as const;

/** Plan, result and deviation of a roast that has ended. */
export const PlanBesideRoast = ({ plan, roast, curve }: PlanBesideRoastProps) => {
  const deviations = useMemo(() => {
    if (curve === undefined || plan.points.length === 0) return [];
    const guide = guideOf(plan);
    const end = roast.duration_seconds ?? curve.time_seconds.at(-1) ?? 0;
    return stepStyles.map((style) => ({
      label: style.label,
      percent: meanDeviation(
        guide,
        controlOf[style.key],
        curve.time_seconds,
        curve.channels[style.channel] ?? [],
        end,
        plan.max_drum_rpm,
      ),
    }));
  }, [plan, curve, roast.duration_seconds]);
  const { target_drop_temp: dropC, target_roast_time: seconds, target_development_time: development } = plan;
  return (
    <Panel
      title={t`Plan vs. roast`}
      className="mt-4 print:mt-2 print:break-inside-avoid"
      actions={<p className="text-right text-sm text-muted">{originOf(plan)}</p>}
    >
      <div className="grid gap-x-8 px-4 pb-3 lg:grid-cols-2 print:grid-cols-2 print:items-start print:px-3 print:pb-1">
        <table className="w-full text-sm print:text-xs">
          <thead>
            <tr className="label-mono text-left">
              <th className="py-2 print:py-0.5 font-normal">
                <span className="sr-only">{t`Target`}</span>
              </th>
              <th className="py-2 print:py-0.5 text-right font-normal">{t`Plan`}</th>
              <th className="py-2 print:py-0.5 text-right font-normal">{t`Roast`}</th>
              <th className="py-2 print:py-0.5 text-right font-normal">{t`Difference`}</th>
            </tr>
          </thead>
          <tbody>
            <Row
              label={t`Drop temp`}
              plan={<Measure quantity="temperature" value={dropC} />}
              roast={<Measure quantity="temperature" value={roast.drop_temp} />}
              difference={
                <Difference valueC={dropC === null || roast.drop_temp === null ? null : roast.drop_temp - dropC} />
              }
            />
            <Row label={t`Roast time`} {...durations(seconds, roast.duration_seconds)} />
            <Row label={t`Development`} {...durations(development, roast.development_time_seconds)} />
          </tbody>
        </table>
        {deviations.length > 0 && (
          <table className="w-full text-sm print:text-xs">
            <thead>
              <tr className="label-mono text-left">
                <th className="py-2 print:py-0.5 font-normal">
                  <span className="sr-only">{t`Control`}</span>
                </th>
                <th className="py-2 print:py-0.5 text-right font-normal">{t`Average deviation from plan`}</th>
              </tr>
            </thead>
            <tbody>
              {deviations.map(({ label, percent }) => (
                <tr key={label} className="border-t border-stroke">
                  <th className="py-2 print:py-0.5 text-left font-normal text-muted">{label}</th>
                  <td className="py-2 print:py-0.5 text-right">
                    <Measure quantity="percent" value={percent} digits={1} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </Panel>
  );
};

const Row = ({
  label,
  plan,
  roast,
  difference,
}: {
  label: string;
  plan: ReactNode;
  roast: ReactNode;
  difference: ReactNode;
}) => (
  <tr className="border-t border-stroke">
    <th className="py-2 print:py-0.5 text-left font-normal text-muted">{label}</th>
    <td className="py-2 print:py-0.5 text-right">{plan}</td>
    <td className="py-2 print:py-0.5 text-right text-strong">{roast}</td>
    <td className="py-2 print:py-0.5 text-right">{difference}</td>
  </tr>
);

const durations = (plan: number | null, roast: number | null) => {
  const late = plan === null || roast === null ? null : Math.round(roast - plan);
  const sign = late === null || late === 0 ? '±' : late > 0 ? '+' : '−';
  return {
    plan: <span className="figures">{formatDuration(plan)}</span>,
    roast: <span className="figures">{formatDuration(roast)}</span>,
    difference: (
      <span className="figures text-strong">{late === null ? '--' : `${sign}${formatDuration(Math.abs(late))}`}</span>
    ),
  };
};
