import { listProfiles, type Profile } from '@roastery/contract/profiles';
import { useApi } from '../api/use-api.ts';
import { t } from '../language/t.ts';
import { Combobox } from '../ui/Combobox.tsx';

interface RecipeFieldProps {
  value: string | null;
  onChange: (profileId: string | null) => void;
  onRecipe?: ((profile: Profile | null) => void) | undefined;
  onBlur?: (() => void) | undefined;
  error?: string | undefined;
  hint?: string | undefined;
}

/** One of the recipes, found by name. */
export const RecipeField = ({ value, onChange, onRecipe, ...field }: RecipeFieldProps) => {
  const { data, isLoading } = useApi(listProfiles, { query: {} });
  const profiles = data?.profiles ?? [];
  return (
    <Combobox
      label={t`Recipe`}
      placeholder={t`No recipe`}
      emptyText={t`No recipe found`}
      isLoading={isLoading}
      unknown={t`Chosen recipe`}
      choices={profiles.map((profile) => ({
        value: profile.id,
        label: profile.name,
        hint: profile.roast_level,
      }))}
      value={value}
      onChange={(id) => {
        onChange(id);
        onRecipe?.(profiles.find((profile) => profile.id === id) ?? null);
      }}
      {...field}
    />
  );
};
