import { formatDuration } from '@roastery/roasting/units';
import { ChartSpline, Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useController, useWatch } from 'react-hook-form';
import { usePageKeys, type PageKey } from '../../components/page-actions.tsx';
import { formatCount } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Card.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { problemsOf, readablePoints, resultingCount, sorted, withNext } from './control-points.ts';
import { ControlTable } from './ControlTable.tsx';
import { CurveEditor } from './CurveEditor.tsx';
import { PreviewDialog, type PreviewedReference } from './PreviewDialog.tsx';
import { parseTime, type RecipeFormState } from './recipe-form-values.ts';

const curveKeys: readonly PageKey[] = [
  { label: t`Curve point: move`, keys: ['←', '→', '↑', '↓'] },
  { label: t`Curve point: move by ten`, keys: ['Shift', 'arrow'] },
  { label: t`Curve point: next or previous`, keys: ['Page Down', 'Page Up'] },
  { label: t`Curve point: delete`, keys: ['Del'] },
];

/** Burner, exhaust and drum over time: dragged in the curves, typed in the table, shown together in the preview. */
export const ControlProfileSection = ({
  form,
  reference,
  about,
}: {
  form: RecipeFormState;
  reference: PreviewedReference;
  /** Where the points come from. */
  about?: ReactNode;
}) => {
  const { field: profile } = useController({ control: form.control, name: 'control_profile' });
  const { value: points, onChange: onPoints, ref: focusWhenRefused } = profile;
  const { field: interpolate } = useController({ control: form.control, name: 'auto_interpolate' });
  const roastTime = useWatch({ control: form.control, name: 'target_roast_time' });
  const [active, setActive] = useState<string | null>(null);
  const [previewing, setPreviewing] = useState(false);
  usePageKeys(curveKeys);
  const problems = problemsOf(points);
  const drawn = sorted(readablePoints(points));
  const count = resultingCount(points, interpolate.value);
  const change = (next: typeof points) => {
    form.clearErrors('control_profile');
    onPoints(next);
  };
  const add = () => {
    const next = withNext(points);
    change(next);
    setActive(next.at(-1)?.key ?? null);
  };
  const whole = problems.find((problem) => problem.key === null);
  const pointCount = <strong className="font-semibold text-strong">{formatCount(count)}</strong>;
  return (
    <Panel
      title={t`Control Profile`}
      actions={
        <Button icon={<ChartSpline aria-hidden />} disabled={drawn.length < 2} onClick={() => setPreviewing(true)}>
          {t`Preview Curve`}
        </Button>
      }
    >
      {about}
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 border-b border-stroke px-4 py-2.5">
        <Checkbox
          label={t`Auto-interpolate between control points`}
          checked={interpolate.value}
          onChange={interpolate.onChange}
        />
        <p aria-live="polite" className="figures text-sm text-muted">
          {interpolate.value
            ? t`${pointCount} points, one per second from ${formatDuration(drawn[0]?.time)} to ${formatDuration(drawn.at(-1)?.time)}`
            : t`${pointCount} points, each held until the next point`}
        </p>
      </div>
      <div className="grid xl:grid-cols-[minmax(0,1fr)_25rem]">
        <div className="min-w-0 px-1 pt-1 pb-3 sm:px-3">
          <CurveEditor
            points={points}
            onChange={change}
            interpolated={interpolate.value}
            roastSeconds={parseTime(roastTime) ?? 0}
            active={active}
            onActive={setActive}
          />
        </div>
        <div
          // The focus target of a refused form when nothing else is wrong.
          ref={focusWhenRefused}
          tabIndex={-1}
          className="flex min-w-0 flex-col gap-3 border-t border-stroke p-3 xl:border-t-0 xl:border-l"
        >
          <ControlTable points={points} problems={problems} onChange={change} active={active} onActive={setActive} />
          {whole !== undefined && (
            <p role="alert" className="px-1 text-sm text-danger">
              {whole.message}
            </p>
          )}
          <Button icon={<Plus aria-hidden />} size="md" onClick={add}>
            {t`Add Control Point`}
          </Button>
        </div>
      </div>
      <PreviewDialog
        open={previewing}
        onClose={() => setPreviewing(false)}
        points={drawn}
        interpolated={interpolate.value}
        reference={reference}
      />
    </Panel>
  );
};
