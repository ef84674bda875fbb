import { controls, type Control } from '@roastery/roasting/recipe/guide';
import { Link } from 'react-router-dom';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { roastName } from '../../components/live/roast-texts.ts';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';
import { Segments } from '../../ui/Segments.tsx';
import type { RecipeFormState } from './recipe-form-values.ts';
import {
  draftOfSteps,
  stepsOfRoast,
  tolerances,
  usualTolerance,
  type RecordedRoast,
  type Tolerance,
} from './roast-as-recipe.ts';

const controlNames: Record<Control, string> = { burner: t`burner`, exhaust: t`exhaust`, drumRpm: t`drum` };

/** How closely the steps follow the roast; in the address. */
export const useTolerance = (): [Tolerance, (tolerance: Tolerance) => void] => {
  const { read, change } = useUrlState();
  return [
    oneOf(tolerances, read('tolerance'), usualTolerance),
    (next) => change({ tolerance: next === usualTolerance ? undefined : next }),
  ];
};

/** Above the points of a recipe that is made from a roast: how closely they follow it. */
export const RecordedStepsRow = ({ recorded, form }: { recorded: RecordedRoast; form: RecipeFormState }) => {
  const [tolerance, setTolerance] = useTolerance();
  const { missing } = stepsOfRoast(recorded, tolerance);
  const isRecorded = missing.length < controls.length;
  const simplify = (next: Tolerance) => {
    const steps = stepsOfRoast(recorded, next);
    form.clearErrors('control_profile');
    form.setValue('control_profile', draftOfSteps(steps), { shouldDirty: true });
    form.setValue('auto_interpolate', steps.interpolated, { shouldDirty: true });
    setTolerance(next);
  };
  const from = (
    <Link
      to={paths.roast(recorded.roast.id)}
      className="rounded-sm text-accent-text underline decoration-1 underline-offset-2"
    >
      {roastName(recorded.roast)}
    </Link>
  );
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-b border-stroke px-4 py-3">
      <div className="min-w-0 flex-1 basis-72 text-sm">
        {!isRecorded ? (
          <p className="text-content">{t`${from} has no record of burner, exhaust and drum: these are the points of a new recipe.`}</p>
        ) : (
          <>
            <p className="text-content">
              {t`Simplified from ${from}: at every second within ±${tolerance} (%, RPM) of what was recorded.`}
            </p>
            {missing.length > 0 && (
              <p className="pt-0.5 text-warning">
                {t`Not recorded, check the value: ${missing.map((control) => controlNames[control]).join(', ')}`}
              </p>
            )}
          </>
        )}
      </div>
      {isRecorded && (
        <Segments
          label={t`Tolerance`}
          showLabel
          choices={tolerances.map((value) => ({ value, label: `±${value}` }))}
          value={tolerance}
          onChange={simplify}
        />
      )}
    </div>
  );
};
