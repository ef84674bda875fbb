import { getProfile, listProfiles, updateProfile, type Profile } from '@roastery/contract/profiles';
import { useState } from 'react';
import { useParams } from 'react-router-dom';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { AlarmRules } from '../../components/alarms/AlarmRules.tsx';
import { useReturnOnError } from '../../components/ErrorState.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { usePreferences } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Panel, Skeleton } from '../../ui/Card.tsx';
import { toast } from '../../ui/toast.ts';
import { RecipeStar } from '../../components/FavoriteStar.tsx';
import {
  recipeFields,
  recipeLabels,
  recipeResolver,
  recipeTexts,
  textOfValue,
  valuesOfRecipe,
} from './recipe-form-values.ts';
import { LoadingRecipe, RecipeForm } from './RecipeForm.tsx';

/** /recipes/:id */
export default function EditRecipePage() {
  const { id = '' } = useParams();
  const { data: recipe, error } = useApi(getProfile, { params: { id } });
  useReturnOnError(recipe === undefined ? error : undefined, t`Failed to load recipe data`, paths.recipes);
  return <Page>{recipe === undefined ? <Loading /> : <EditRecipe key={recipe.id} recipe={recipe} />}</Page>;
}

/** `recipe` is the newest version. */
const EditRecipe = ({ recipe }: { recipe: Profile }) => {
  // The unit stays as it was when the form was opened: typed figures must not change their meaning.
  const { temperature_unit: preferred } = usePreferences();
  const [unit] = useState(preferred);
  const form = useRecordForm({
    values: valuesOfRecipe(recipe, unit),
    resolver: recipeResolver(unit),
    fields: recipeFields,
    ...recipeTexts,
    edited: {
      noun: 'recipe',
      record: recipe,
      valuesOf: (record) => valuesOfRecipe(record, unit),
      labels: recipeLabels,
      textOf: (_field, value) => textOfValue(value),
      read: async () => {
        await refresh(getProfile);
        return call(getProfile, { params: { id: recipe.id } });
      },
    },
    save: (body, { revision }) => call(updateProfile, { params: { id: recipe.id }, body: { ...body, revision } }),
    saved: async (_recipe, { leaveTo }) => {
      await refresh(listProfiles, getProfile);
      toast(t`Recipe saved successfully!`);
      leaveTo(paths.recipes);
    },
  });
  return (
    <>
      <PageHeader
        title={recipe.name}
        crumbs={[{ label: t`Recipes`, to: paths.recipes }, { label: recipe.name }]}
        badges={
          <>
            <Badge>{recipe.roast_level}</Badge>
            <RecipeStar recipe={recipe} />
          </>
        }
        subtitle={
          <span className="figures">
            {recipe.times_used === 0
              ? t`Not roasted yet`
              : recipe.times_used === 1
                ? t`Used ${recipe.times_used} time`
                : t`Used ${recipe.times_used} times`}
          </span>
        }
      />
      <RecipeForm
        of={form}
        unit={unit}
        recipe={recipe}
        reference={{ roastId: recipe.reference_roast_id, isChosen: recipe.reference_is_chosen }}
      />
      <div className="mt-4">
        <Panel title={t`Alarms`}>
          <div className="max-w-3xl p-4">
            <AlarmRules holder={{ kind: 'recipe', id: recipe.id }} mayEdit />
          </div>
        </Panel>
      </div>
    </>
  );
};

const Loading = () => (
  <div className="flex flex-col gap-4">
    <Skeleton className="h-4 w-48" />
    <Skeleton className="mb-2 h-7 w-64" />
    <LoadingRecipe />
  </div>
);
