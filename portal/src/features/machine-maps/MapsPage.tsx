import { createMachineMap, listMachineMaps, type MapSummary } from '@roastery/contract/machine-maps';
import { BookOpen, Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { FormError } from '../../components/form/FormError.tsx';
import { linkLabel, mapName, verifiedLabels } from '../../components/machine-maps/map-labels.tsx';
import { ArtisanImport } from '../../components/machine-maps/NoMachineFound.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import type { Column } from '../../components/table/columns.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { ListSearch, NoMatch } from '../../components/table/ListControls.tsx';
import { useListPage } from '../../components/table/use-list-page.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { exactWeight } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Segments } from '../../ui/Segments.tsx';
import { toast } from '../../ui/toast.ts';
import { readMapFile, refusalOf } from './map-file.ts';

const origins = [
  { value: 'all', label: t`All` },
  { value: 'own', label: t`Own` },
  { value: 'catalogue', label: t`Catalogue` },
] as const;
const originNames = origins.map(({ value }) => value);

const columns: readonly Column<MapSummary>[] = [
  {
    id: 'machine',
    label: t`Machine`,
    isName: true,
    cell: (map) => (
      <span className="flex min-w-0 flex-col">
        <span className="truncate">{mapName(map)}</span>
        <span className="truncate font-mono text-xs font-normal text-muted">{map.id}</span>
      </span>
    ),
  },
  { id: 'link', label: t`Link`, cell: ({ link_kind: kind }) => linkLabel[kind] },
  {
    id: 'capacity',
    label: t`Capacity`,
    align: 'right',
    cell: ({ capacity_kg: kg }) => <span className="figures">{kg === null ? '--' : exactWeight(kg)}</span>,
  },
  {
    id: 'channels',
    label: t`Channels`,
    align: 'right',
    cell: ({ channels }) => <span className="figures">{channels}</span>,
  },
  {
    id: 'origin',
    label: t`From`,
    cell: ({ origin, owner_name: owner, rev }) =>
      origin === 'catalogue' ? t`Catalogue` : `${owner ?? '--'} · rev ${rev}`,
  },
  {
    id: 'verified',
    label: t`Verified`,
    cell: ({ verified }) => <Badge tone={verifiedLabels[verified].tone}>{verifiedLabels[verified].label}</Badge>,
  },
];

/** /machines/maps: the maps of the catalogue and the roastery's own. */
export default function MapsPage() {
  const navigate = useNavigate();
  const { read, change } = useUrlState();
  const origin = oneOf(originNames, read('from'), 'all');
  const chooser = useRef<HTMLInputElement>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const list = useListPage(listMachineMaps, {
    input: (page) => ({ query: { ...page, ...(origin === 'all' ? {} : { origin }) } }),
    rows: ({ maps }) => maps,
    total: ({ total }) => total,
    rowId: ({ id }) => id,
    pageSize: 50,
  });

  const upload = async (file: File) => {
    setFailure(null);
    try {
      const map = await call(createMachineMap, {
        body: { map: await readMapFile(file), note: `From ${file.name}`.slice(0, 200) },
      });
      await refresh(listMachineMaps);
      toast(t`Machine map uploaded`);
      await navigate(paths.machineMap(map.id));
    } catch (reason) {
      setFailure(refusalOf(reason, file.name));
    }
  };

  return (
    <Page>
      <PageHeader
        title={t`Machine Maps`}
        crumbs={[{ label: t`Machines`, to: paths.machines }, { label: t`Maps` }]}
        subtitle={t`What the registers of a machine mean. The maps of the catalogue have not been tested on real machines.`}
        actions={
          <>
            <input
              ref={chooser}
              type="file"
              accept=".json,application/json"
              aria-label={t`Machine map file`}
              className="sr-only"
              tabIndex={-1}
              onChange={(event) => {
                const [file] = event.target.files ?? [];
                event.target.value = '';
                if (file !== undefined) void upload(file);
              }}
            />
            <ArtisanImport
              onMap={(map, remarks) => {
                toast(t`Machine map imported`, { detail: remarks.join(' ') || undefined });
                void navigate(paths.machineMap(map.id));
              }}
            />
            <Button size="md" icon={<Upload aria-hidden />} onClick={() => chooser.current?.click()}>
              {t`Upload a map`}
            </Button>
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <FormError text={failure} />
        <div className="flex flex-wrap items-center justify-between gap-3">
          <ListSearch search={list.search} label={t`Search machine maps`} placeholder={t`Maker or model`} />
          <Segments
            label={t`From`}
            choices={origins}
            value={origin}
            onChange={(next) => change({ from: next === 'all' ? undefined : next })}
          />
        </div>
        <DataTable
          {...list.table}
          label={t`Machine maps`}
          columns={columns}
          rowLabel={mapName}
          rowLink={(map) => paths.machineMap(map.id)}
          empty={
            list.search.q === '' ? (
              <EmptyState icon={<BookOpen aria-hidden />} title={t`No maps of your own`}>
                {t`Open a map of the catalogue and make your own copy, or upload a file.`}
              </EmptyState>
            ) : (
              <NoMatch title={t`No machine maps match your search`} search={list.search} />
            )
          }
        />
      </div>
    </Page>
  );
}
