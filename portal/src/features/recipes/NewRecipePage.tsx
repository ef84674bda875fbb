import { createProfile, listProfiles } from '@roastery/contract/profiles';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { usePreferences } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { toast } from '../../ui/toast.ts';
import { newRecipe, recipeFields, recipeResolver, recipeTexts } from './recipe-form-values.ts';
import { RecipeForm } from './RecipeForm.tsx';

/** /recipes/new */
export default function NewRecipePage() {
  // The unit stays as it was when the form was opened: typed figures must not change their meaning.
  const { temperature_unit: preferred } = usePreferences();
  const [unit] = useState(preferred);
  const form = useRecordForm({
    values: newRecipe(unit),
    resolver: recipeResolver(unit),
    fields: recipeFields,
    ...recipeTexts,
    save: (body) => call(createProfile, { body }),
    saved: async (_recipe, { leaveTo }) => {
      await refresh(listProfiles);
      toast(t`Recipe saved successfully!`);
      leaveTo(paths.recipes);
    },
  });
  return (
    <Page>
      <PageHeader
        title={t`New recipe`}
        crumbs={[
          { label: t`Home`, to: paths.dashboard },
          { label: t`Recipes`, to: paths.recipes },
          { label: t`New recipe` },
        ]}
      />
      <RecipeForm of={form} unit={unit} />
    </Page>
  );
}
