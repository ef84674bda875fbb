import { createMachineMap, listMachineMaps, type MapSummary } from '@roastery/contract/machine-maps';
import { BookOpen, SearchX, Search, Upload } from 'lucide-react';
import { useCallback, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FormError } from '../../components/forms.tsx';
import { linkWords, mapName, verifiedWords } from '../../components/machine-maps/map-words.ts';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import type { Column } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { useTyped } from '../../components/use-typed.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { readMapFile, refusalOf } from './map-file.ts';

const pageSize = 50;
const origins = [
  { value: 'all', label: 'All' },
  { value: 'own', label: 'Own' },
  { value: 'catalogue', label: 'Catalogue' },
] as const;
const originNames = origins.map(({ value }) => value);

const columns: readonly Column<MapSummary>[] = [
  {
    id: 'machine',
    label: 'Machine',
    isName: true,
    cell: (map) => (
      <span className="flex min-w-0 flex-col">
        <span className="truncate">{mapName(map)}</span>
        <span className="truncate font-mono text-xs font-normal text-muted">{map.id}</span>
      </span>
    ),
  },
  { id: 'link', label: 'Link', cell: ({ link_kind: kind }) => linkWords[kind] },
  {
    id: 'capacity',
    label: 'Capacity',
    align: 'right',
    cell: ({ capacity_kg: kg }) => <span className="figures">{kg === null ? '--' : `${kg} kg`}</span>,
  },
  {
    id: 'channels',
    label: 'Channels',
    align: 'right',
    cell: ({ channels }) => <span className="figures">{channels}</span>,
  },
  {
    id: 'origin',
    label: 'From',
    cell: ({ origin, owner_name: owner, rev }) =>
      origin === 'catalogue' ? 'Catalogue' : `${owner ?? '--'} · rev ${rev}`,
  },
  {
    id: 'verified',
    label: 'Verified',
    cell: ({ verified }) => <Badge tone={verifiedWords[verified].tone}>{verifiedWords[verified].label}</Badge>,
  },
];

/** /machines/maps: the catalogue and the maps that people here made. */
export default function MapsPage() {
  const navigate = useNavigate();
  const { read, change } = useUrlState();
  const q = read('q') ?? '';
  const origin = oneOf(originNames, read('from'), 'all');
  const page = Math.max(1, Math.floor(Number(read('page') ?? 1)) || 1);
  const search = useCallback((text: string) => change({ q: text.trim(), page: undefined }), [change]);
  const [typed, setTyped] = useTyped(q, search);
  const chooser = useRef<HTMLInputElement>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const { data, error, mutate } = useApi(
    listMachineMaps,
    {
      query: {
        limit: pageSize,
        offset: (page - 1) * pageSize,
        ...(q === '' ? {} : { q }),
        ...(origin === 'all' ? {} : { origin }),
      },
    },
    { keepPreviousData: true },
  );

  const takeIn = async (file: File) => {
    setFailure(null);
    try {
      const map = await call(createMachineMap, {
        body: { map: await readMapFile(file), note: `From ${file.name}`.slice(0, 200) },
      });
      await refresh(listMachineMaps);
      toast('Machine map taken in');
      await navigate(paths.machineMap(map.id));
    } catch (reason) {
      setFailure(refusalOf(reason, file.name));
    }
  };

  return (
    <Page>
      <PageHeader
        title="Machine Maps"
        crumbs={[{ label: 'Home', to: paths.dashboard }, { label: 'Machines', to: paths.machines }, { label: 'Maps' }]}
        subtitle="Which registers of a machine mean what. None of the catalogue was tried on real hardware by us."
        actions={
          <>
            <input
              ref={chooser}
              type="file"
              accept=".json,application/json"
              aria-label="Machine map file"
              className="sr-only"
              tabIndex={-1}
              onChange={(event) => {
                const [file] = event.target.files ?? [];
                event.target.value = '';
                if (file !== undefined) void takeIn(file);
              }}
            />
            <Button size="md" icon={<Upload aria-hidden />} onClick={() => chooser.current?.click()}>
              Upload a map
            </Button>
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <FormError text={failure} />
        <div className="flex flex-wrap items-center justify-between gap-3">
          <TextField
            label="Search machine maps"
            hideLabel
            type="search"
            size="sm"
            placeholder="Maker or model"
            icon={<Search />}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            className="w-full sm:w-80"
          />
          <Segments
            label="From"
            choices={origins}
            value={origin}
            onChange={(next) => change({ from: next === 'all' ? undefined : next, page: undefined })}
          />
        </div>
        <DataTable
          label="Machine maps"
          columns={columns}
          rows={data?.maps}
          rowId={(map) => map.id}
          rowLabel={mapName}
          rowLink={(map) => paths.machineMap(map.id)}
          error={error}
          onRetry={() => void mutate()}
          empty={
            q === '' ? (
              <EmptyState icon={<BookOpen aria-hidden />} title="No maps of your own">
                Open a map of the catalogue and make it your own, or upload a file.
              </EmptyState>
            ) : (
              <EmptyState icon={<SearchX aria-hidden />} title="No machine of that name">
                Search by maker or model, or upload a map file.
              </EmptyState>
            )
          }
          paging={{
            page,
            pageSize,
            total: data?.total,
            onPage: (next) => change({ page: next === 1 ? undefined : String(next) }),
          }}
        />
      </div>
    </Page>
  );
}
