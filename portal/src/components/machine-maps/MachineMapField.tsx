import { getMachineMap, listMachineMaps, type MapSummary } from '@roastery/contract/machine-maps';
import { useState, type ReactNode, type Ref } from 'react';
import { useApi } from '../../api/use-api.ts';
import { t } from '../../language/t.ts';
import { Combobox } from '../../ui/Combobox.tsx';
import { NoMachineFound } from './NoMachineFound.tsx';
import { linkLabel, mapName, verifiedLabels } from './map-labels.tsx';

interface MachineMapFieldProps {
  label?: string;
  value: string | null;
  onChange: (mapId: string | null) => void;
  /** Called with the chosen map, so that a form can copy its values. */
  onMap?: ((map: MapSummary | null) => void) | undefined;
  onBlur?: (() => void) | undefined;
  error?: string | undefined;
  /** Shown when no machine was found: how its registers can be read. */
  probe?: ReactNode;
  /** Shown while nothing is chosen. */
  hint?: string | undefined;
  ref?: Ref<HTMLInputElement> | undefined;
}

const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Filters the previous answer until the next one arrives, so that it offers only what matches the text. */
const holdsWords = (map: MapSummary, typed: string): boolean => {
  const text = plain(`${map.maker} ${map.model} ${map.id}`);
  return plain(typed)
    .split(/\s+/)
    .every((word) => text.includes(word));
};

/** A machine map, found by maker and model on the server. Shows whether the chosen one was verified. */
export const MachineMapField = (props: MachineMapFieldProps) => {
  const { label = t`Machine map`, value, onChange, onMap, hint, probe, ...field } = props;
  const [search, setSearch] = useState('');
  // The field clears itself when it is left; the search is still unresolved then.
  const [sought, setSought] = useState('');
  const [remarks, setRemarks] = useState<readonly string[]>([]);
  const { data: hits } = useApi(listMachineMaps, sought === '' ? null : { query: { limit: 1, q: sought } });
  const isMissing = value === null && sought !== '' && hits?.total === 0;
  const choose = (map: MapSummary, said: readonly string[] = []) => {
    setSought('');
    setRemarks(said);
    onChange(map.id);
    onMap?.(map);
  };
  const { data: chosen, isLoading } = useApi(getMachineMap, value === null ? null : { params: { id: value } });
  // Until the person types, the field holds the name of the chosen map, which is not a search.
  const q = chosen !== undefined && search === mapName(chosen) ? '' : search.trim();
  const { data } = useApi(
    listMachineMaps,
    { query: { limit: 200, ...(q === '' ? {} : { q }) } },
    { keepPreviousData: true },
  );
  const found = (data?.maps ?? []).filter((map) => holdsWords(map, q));
  // The chosen one stays in the list: without it the field would lose its name and the typed text.
  const isAway = chosen !== undefined && !found.some(({ id }) => id === chosen.id);
  const maps: readonly MapSummary[] = isAway ? [...found, chosen] : found;
  return (
    <div className="flex flex-col gap-2">
      <Combobox
        label={label}
        placeholder={t`Maker or model`}
        emptyText={t`No machine found in the catalogue`}
        isLoading={isLoading}
        unknown={t`Chosen map`}
        filtered
        onSearch={(text) => {
          setSearch(text);
          if (text.trim() !== '') setSought(text.trim());
        }}
        choices={maps.map((map) => ({
          value: map.id,
          label: mapName(map),
          hint: map.origin === 'own' ? t`own · ${linkLabel[map.link_kind]}` : linkLabel[map.link_kind],
        }))}
        value={value}
        onChange={(id) => {
          setRemarks([]);
          setSought('');
          onChange(id);
          onMap?.(maps.find((map) => map.id === id) ?? null);
        }}
        hint={
          value === null || chosen === undefined
            ? hint
            : `${verifiedLabels[chosen.verified].label}. ${chosen.map.notes ?? ''}`
        }
        {...field}
      />
      {isMissing && <NoMachineFound typed={sought} onChoose={choose} onImported={choose} probe={probe} />}
      {remarks.map((remark) => (
        <p key={remark} className="text-xs text-muted">
          {remark}
        </p>
      ))}
    </div>
  );
};
