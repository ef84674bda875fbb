import { getLot } from '@roastery/contract/inventory';
import { listMachines } from '@roastery/contract/machines';
import { createProfile, listProfiles } from '@roastery/contract/profiles';
import { getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { getRoast } from '@roastery/contract/roasts';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { useReturnOnError } from '../../components/ErrorState.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { useUrlState } from '../../components/url-state.ts';
import { usePreferences } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { toast } from '../../ui/toast.ts';
import { newRecipe, recipeFields, recipeResolver, recipeTexts } from './recipe-form-values.ts';
import { LoadingRecipe, RecipeForm } from './RecipeForm.tsx';
import { RecordedStepsRow, useTolerance } from './RecordedStepsRow.tsx';
import { referenceOf, stepsOfRoast, valuesOfRoast, type RecordedRoast } from './roast-as-recipe.ts';

/** /recipes/new, filled in from the roast that the address names */
export default function NewRecipePage() {
  const roastId = useUrlState().read('from_roast');
  return (
    <Page>
      <PageHeader title={t`New recipe`} crumbs={[{ label: t`Recipes`, to: paths.recipes }, { label: t`New recipe` }]} />
      {roastId === undefined ? <NewRecipe /> : <FromRoast key={roastId} id={roastId} />}
    </Page>
  );
}

const once = { revalidateOnFocus: false, revalidateIfStale: false, compare: Object.is };

const FromRoast = ({ id }: { id: string }) => {
  const { data: roast, error: roastError } = useApi(getRoast, { params: { id } }, once);
  const { data: curve, error: curveError } = useApi(getRoastCurveColumns, { params: { id } }, once);
  const { data: machines, error: machinesError } = useApi(listMachines, { query: {} }, once);
  const lotId = roast?.lot_id ?? null;
  const { data: lot, error: lotError } = useApi(getLot, lotId === null ? null : { params: { id: lotId } }, once);
  useReturnOnError(roastError ?? curveError, t`Failed to load roast`, paths.newRecipe);
  // The machine and the lot may be gone; the recipe does without them.
  const isComplete =
    (machines !== undefined || machinesError !== undefined) &&
    (lotId === null || lot !== undefined || lotError !== undefined);
  if (roast === undefined || curve === undefined || !isComplete) return <LoadingRecipe />;
  const machine = machines?.find((one) => one.id === roast.machine_id);
  return <NewRecipe recorded={{ roast, curve, machine, lot }} />;
};

const NewRecipe = ({ recorded }: { recorded?: RecordedRoast }) => {
  // The unit stays as it was when the form was opened: typed figures must not change their meaning.
  const { temperature_unit: preferred } = usePreferences();
  const [unit] = useState(preferred);
  const [tolerance] = useTolerance();
  const [values] = useState(() =>
    recorded === undefined ? newRecipe(unit) : valuesOfRoast(recorded, stepsOfRoast(recorded, tolerance), unit),
  );
  const reference = recorded === undefined ? null : referenceOf(recorded);
  const form = useRecordForm({
    values,
    resolver: recipeResolver(unit),
    fields: recipeFields,
    ...recipeTexts,
    save: (body) => call(createProfile, { body: { ...body, reference_roast_id: reference } }),
    saved: async (_recipe, { leaveTo }) => {
      await refresh(listProfiles);
      toast(t`Recipe saved successfully!`);
      leaveTo(paths.recipes);
    },
  });
  return (
    <RecipeForm
      of={form}
      unit={unit}
      reference={{ roastId: reference, isChosen: true }}
      aboutSteps={recorded && <RecordedStepsRow recorded={recorded} form={form.hookForm} />}
    />
  );
};
