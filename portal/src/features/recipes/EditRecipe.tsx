import { getProfile, listProfiles, updateProfile, type Profile } from '@roastery/contract/profiles';
import type { TemperatureUnit } from '@roastery/roasting/units';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import { ApiError, sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { ChangedMeanwhile } from '../../components/ChangedMeanwhile.tsx';
import { showFieldErrors } from '../../components/forms.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { usePreferences } from '../../format/preferences.ts';
import { mergeThreeWay } from '../../components/three-way.ts';
import { UnsavedChanges } from '../../components/UnsavedChanges.tsx';
import { useLeave } from '../../components/use-leave.ts';
import { Badge } from '../../ui/Badge.tsx';
import { toast } from '../../ui/toast.ts';
import { FavoriteStar } from './FavoriteStar.tsx';
import {
  recipeFields,
  recipeLabels,
  recipeResolver,
  textOfValue,
  valuesOfRecipe,
  type RecipeBody,
  type RecipeFormState,
  type RecipeValues,
} from './recipe-form-values.ts';
import { RecipeForm } from './RecipeForm.tsx';

/** A recipe's form. `recipe` is the newest there is; the form remembers which one it began with. */
export const EditRecipe = ({ recipe }: { recipe: Profile }) => {
  const { isLeaving, leaveTo } = useLeave();
  // The unit the form began with: its figures must not change meaning while they are typed.
  const { temperature_unit: preferred } = usePreferences();
  const [unit] = useState(preferred);
  const [base, setBase] = useState(recipe);
  const [failure, setFailure] = useState<string | null>(null);
  const form = useForm<RecipeValues, unknown, RecipeBody>({
    resolver: recipeResolver(unit),
    defaultValues: valuesOfRecipe(recipe, unit),
    reValidateMode: 'onSubmit',
  });
  const { isDirty } = form.formState;
  const changedMeanwhile = recipe.revision !== base.revision;

  // Nothing of one's own is at stake: show what the recipe says now.
  if (changedMeanwhile && !isDirty) setBase(recipe);
  useEffect(() => {
    if (!form.formState.isDirty) form.reset(valuesOfRecipe(base, unit));
  }, [base, form, unit]);

  const save = form.handleSubmit(
    async (body) => {
      setFailure(null);
      try {
        await call(updateProfile, { params: { id: recipe.id }, body: { ...body, revision: base.revision } });
        await refresh(listProfiles, getProfile);
        toast('Recipe saved successfully!');
        leaveTo(paths.recipes);
      } catch (error) {
        if (error instanceof ApiError && error.code === 'changed_meanwhile') await refresh(getProfile);
        else {
          showFieldErrors<RecipeValues>(error, recipeFields, form.setError);
          setFailure(sentenceWithFields(error, 'Failed to save recipe'));
        }
      }
    },
    () => setFailure('Please fix validation errors before saving'),
  );

  return (
    <>
      <UnsavedChanges dirty={isDirty && !isLeaving} />
      <PageHeader
        title={recipe.name}
        crumbs={[
          { label: 'Home', to: paths.dashboard },
          { label: 'Recipes', to: paths.recipes },
          { label: recipe.name },
        ]}
        badges={
          <>
            <Badge>{recipe.roast_level}</Badge>
            <FavoriteStar recipe={recipe} />
          </>
        }
        subtitle={
          <span className="figures">
            {recipe.times_used === 0
              ? 'Not roasted yet'
              : `Used ${recipe.times_used} ${recipe.times_used === 1 ? 'time' : 'times'}`}
          </span>
        }
      />
      <RecipeForm
        form={form}
        unit={unit}
        isNew={false}
        referenceRoastId={recipe.reference_roast_id}
        failure={failure}
        onSubmit={() => void save()}
        notice={
          changedMeanwhile &&
          isDirty && (
            <Conflict
              form={form}
              base={base}
              newest={recipe}
              unit={unit}
              onSettled={() => {
                setBase(recipe);
                setFailure(null);
              }}
            />
          )
        }
      />
    </>
  );
};

interface ConflictProps {
  form: RecipeFormState;
  base: Profile;
  newest: Profile;
  unit: TemperatureUnit;
  onSettled: () => void;
}

const Conflict = ({ form, base, newest, unit, onSettled }: ConflictProps) => {
  const own = form.getValues();
  const now = valuesOfRecipe(newest, unit);
  const { merged, theirs, clashes } = mergeThreeWay(valuesOfRecipe(base, unit), now, own);
  return (
    <ChangedMeanwhile
      thing="recipe"
      theirs={theirs.map((field) => recipeLabels[field])}
      clashes={clashes.map((field) => ({
        label: recipeLabels[field],
        now: textOfValue(now[field]),
        yours: textOfValue(own[field]),
      }))}
      onMerge={() => {
        form.reset(now);
        form.reset(merged, { keepDefaultValues: true });
        onSettled();
      }}
      onDiscard={() => {
        form.reset(now);
        onSettled();
      }}
    />
  );
};
