import { getProfile, listProfiles, type Profile } from '@roastery/contract/profiles';
import { useState } from 'react';
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

/** One of the recipes, found by name on the server. They are read when the list is opened. */
export const RecipeField = ({ value, onChange, onRecipe, ...field }: RecipeFieldProps) => {
  const [search, setSearch] = useState('');
  const [isUsed, setUsed] = useState(false);
  const { data: chosen, isLoading } = useApi(getProfile, value === null ? null : { params: { id: value } });
  // Until the person types, the field holds the name of the chosen recipe, which is not a search.
  const q = search === chosen?.name ? '' : search.trim();
  const {
    data,
    isLoading: isReading,
    error,
  } = useApi(listProfiles, isUsed ? { query: { limit: 50, ...(q === '' ? {} : { q }) } } : null, {
    keepPreviousData: true,
  });
  const nothing = error !== undefined && data === undefined ? t`Recipes could not be loaded` : t`No recipe found`;
  const profiles = [
    ...(chosen === undefined || data?.profiles.some(({ id }) => id === chosen.id) ? [] : [chosen]),
    ...(data?.profiles ?? []),
  ];
  return (
    <Combobox
      label={t`Recipe`}
      placeholder={t`No recipe`}
      emptyText={isReading ? t`Loading` : nothing}
      isLoading={isLoading}
      unknown={t`Chosen recipe`}
      filtered
      onOpen={() => setUsed(true)}
      onSearch={setSearch}
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
