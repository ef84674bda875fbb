import { getMachineMap, listMachineMaps, type MapSummary } from '@roastery/contract/machine-maps';
import { useState, type Ref } from 'react';
import { useApi } from '../../api/use-api.ts';
import { Combobox } from '../../ui/Combobox.tsx';
import { linkWords, mapName, verifiedWords } from './map-labels.tsx';

interface MachineMapFieldProps {
  label?: string;
  value: string | null;
  onChange: (mapId: string | null) => void;
  /** Told of the map itself, so that a form can fill in what it says. */
  onMap?: ((map: MapSummary | null) => void) | undefined;
  onBlur?: (() => void) | undefined;
  error?: string | undefined;
  /** Shown while nothing is chosen. */
  hint?: string | undefined;
  ref?: Ref<HTMLInputElement> | undefined;
}

const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** The server's search again: until its answer is there, the one before must not offer what was not typed. */
const holdsWords = (map: MapSummary, typed: string): boolean => {
  const text = plain(`${map.maker} ${map.model} ${map.id}`);
  return plain(typed)
    .split(/\s+/)
    .every((word) => text.includes(word));
};

/** One machine map, found by maker and model; the server searches. It says how far the chosen one can be trusted. */
export const MachineMapField = (props: MachineMapFieldProps) => {
  const { label = 'Machine map', value, onChange, onMap, hint, ...field } = props;
  const [search, setSearch] = useState('');
  const { data: chosen, isLoading } = useApi(getMachineMap, value === null ? null : { params: { id: value } });
  // The field holds the chosen map's name until somebody types: that is nothing to search for.
  const q = chosen !== undefined && search === mapName(chosen) ? '' : search.trim();
  const { data } = useApi(
    listMachineMaps,
    { query: { limit: 200, ...(q === '' ? {} : { q }) } },
    { keepPreviousData: true },
  );
  const found = (data?.maps ?? []).filter((map) => holdsWords(map, q));
  // The chosen one stays in the list: without it the field would forget its name, and what is being typed with it.
  const isAway = chosen !== undefined && !found.some(({ id }) => id === chosen.id);
  const maps: readonly MapSummary[] = isAway ? [...found, chosen] : found;
  return (
    <Combobox
      label={label}
      placeholder="Maker or model"
      emptyText="No machine of that name in the catalogue"
      isLoading={isLoading}
      unknown="Chosen map"
      filtered
      onSearch={setSearch}
      choices={maps.map((map) => ({
        value: map.id,
        label: mapName(map),
        hint: `${map.origin === 'own' ? 'own · ' : ''}${linkWords[map.link_kind]}`,
      }))}
      value={value}
      onChange={(id) => {
        onChange(id);
        onMap?.(maps.find((map) => map.id === id) ?? null);
      }}
      hint={
        value === null || chosen === undefined
          ? hint
          : `${verifiedWords[chosen.verified].label}. ${chosen.map.notes ?? ''}`
      }
      {...field}
    />
  );
};
