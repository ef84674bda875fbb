import { createProfile, listProfiles } from '@roastery/contract/profiles';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { sentenceWithFields } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { showFieldErrors } from '../../components/forms.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { usePreferences } from '../../format/preferences.ts';
import { UnsavedChanges } from '../../components/UnsavedChanges.tsx';
import { useLeave } from '../../components/use-leave.ts';
import { toast } from '../../ui/toast.ts';
import { newRecipe, recipeFields, recipeResolver, type RecipeBody, type RecipeValues } from './recipe-form-values.ts';
import { RecipeForm } from './RecipeForm.tsx';

/** /recipes/new */
export default function NewRecipePage() {
  const { isLeaving, leaveTo } = useLeave();
  // The unit the form began with: its figures must not change meaning while they are typed.
  const { temperature_unit: preferred } = usePreferences();
  const [unit] = useState(preferred);
  const [failure, setFailure] = useState<string | null>(null);
  const form = useForm<RecipeValues, unknown, RecipeBody>({
    resolver: recipeResolver(unit),
    defaultValues: newRecipe(unit),
    reValidateMode: 'onSubmit',
  });
  const save = form.handleSubmit(
    async (body) => {
      setFailure(null);
      try {
        await call(createProfile, { body });
        await refresh(listProfiles);
        toast('Recipe saved successfully!');
        leaveTo(paths.recipes);
      } catch (error) {
        showFieldErrors<RecipeValues>(error, recipeFields, form.setError);
        setFailure(sentenceWithFields(error, 'Failed to save recipe'));
      }
    },
    () => setFailure('Please fix validation errors before saving'),
  );
  return (
    <Page>
      <UnsavedChanges dirty={form.formState.isDirty && !isLeaving} />
      <PageHeader
        title="New recipe"
        crumbs={[
          { label: 'Home', to: paths.dashboard },
          { label: 'Recipes', to: paths.recipes },
          { label: 'New recipe' },
        ]}
      />
      <RecipeForm
        form={form}
        unit={unit}
        isNew
        referenceRoastId={null}
        failure={failure}
        onSubmit={() => void save()}
      />
    </Page>
  );
}
