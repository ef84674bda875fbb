import { createMachineMap, getMachineMap, listMachineMaps, type MapDetail } from '@roastery/contract/machine-maps';
import { Copy, Download } from 'lucide-react';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router-dom';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { ErrorState } from '../../components/ErrorState.tsx';
import { useAction } from '../../components/use-action.ts';
import { FormError } from '../../components/form/FormError.tsx';
import { mapName, verifiedLabels } from '../../components/machine-maps/map-labels.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Card, Skeleton } from '../../ui/Card.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { toast } from '../../ui/toast.ts';
import { DeleteMap } from './DeleteMap.tsx';
import { mapFileAddress } from './map-file.ts';
import { MapEditor } from './MapEditor.tsx';
import { MapFacts } from './MapFacts.tsx';
import { Revisions } from './Revisions.tsx';

const tabs = [
  { value: 'map', label: t`Map` },
  { value: 'revisions', label: t`Revisions` },
] as const;
const tabNames = tabs.map(({ value }) => value);

/** /machines/maps/{id}: a map; the user's own can be edited. */
export default function MapPage() {
  const { id = '' } = useParams();
  const { read, change } = useUrlState();
  const tab = oneOf(tabNames, read('tab'), 'map');
  const [refusal, setRefusal] = useState<string | null>(null);
  const { data, error, mutate } = useApi(getMachineMap, { params: { id } });
  const crumbs = [
    { label: t`Machines`, to: paths.machines },
    { label: t`Maps`, to: paths.machineMaps },
    { label: data === undefined ? t`Map` : mapName(data) },
  ];
  if (data === undefined) {
    return (
      <Page>
        <PageHeader title={t`Machine Map`} crumbs={crumbs} />
        {error === undefined ? (
          <Skeleton className="h-96 w-full" />
        ) : (
          <Card>
            <ErrorState title={t`The map could not be loaded`} error={error} onRetry={() => void mutate()} />
          </Card>
        )}
      </Page>
    );
  }
  const verified = verifiedLabels[data.verified];
  return (
    <Page>
      <PageHeader
        title={mapName(data)}
        crumbs={crumbs}
        badges={
          <>
            <Badge mono>rev {data.rev}</Badge>
            <Badge tone={verified.tone}>{verified.label}</Badge>
          </>
        }
        subtitle={
          data.origin === 'catalogue'
            ? t`From the catalogue. Make a copy to change it.`
            : data.based_on === null
              ? t`Map of ${data.owner_name ?? t`another user`}`
              : t`Map of ${data.owner_name ?? t`another user`}, based on ${data.based_on}`
        }
        actions={
          <>
            <a href={mapFileAddress(data.id)} download className={buttonClass('secondary', 'md')}>
              <Download aria-hidden />
              {t`Download file`}
            </a>
            <CopyMap map={data} />
            {data.may_edit && <DeleteMap map={data} onRefused={setRefusal} />}
          </>
        }
      />
      <div className="flex flex-col gap-5">
        <FormError text={refusal} />
        <Tabs
          label={t`Machine map`}
          tabs={tabs}
          value={tab}
          onChange={(next) => change({ tab: next === 'map' ? undefined : next, rev: undefined })}
        />
        {tab === 'revisions' && <Revisions detail={data} />}
        {tab === 'map' && (data.may_edit ? <MapEditor key={data.id} detail={data} /> : <MapFacts map={data.map} />)}
      </div>
    </Page>
  );
}

/** Makes a copy that can be edited; the main action of a map of the catalogue. */
const CopyMap = ({ map }: { map: MapDetail }) => {
  const navigate = useNavigate();
  const { run, isBusy } = useAction();
  const copy = async () => {
    const own = await call(createMachineMap, { body: { map: map.map, based_on: map.id } });
    await refresh(listMachineMaps);
    toast(t`Machine map copied`);
    await navigate(paths.machineMap(own.id));
  };
  return (
    <Button
      size="md"
      kind={map.may_edit ? 'secondary' : 'primary'}
      icon={<Copy aria-hidden />}
      busy={isBusy}
      onClick={() => void run(copy, t`Failed to copy the map`)}
    >
      {t`Make a copy`}
    </Button>
  );
};
