import { getLot, updateLot, type Lot } from '@roastery/contract/inventory';
import { useParams } from 'react-router-dom';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { useReturnOnError } from '../../components/ErrorState.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';
import { Skeleton } from '../../ui/Card.tsx';
import { toast } from '../../ui/toast.ts';
import { StatusBadge } from './lot-columns.tsx';
import { lotFields, lotLabels, lotResolver, lotTexts, valuesOfLot } from './lot-form-values.ts';
import { lotCrumbs, refreshLots } from './lots.ts';
import { LotForm } from './LotForm.tsx';
import { MovementsPanel } from './MovementsPanel.tsx';
import { StockPanel } from './StockPanel.tsx';

/** /inventory/lots/:id/edit */
export default function EditLotPage() {
  const { id = '' } = useParams();
  const { data: lot, error } = useApi(getLot, { params: { id } });
  useReturnOnError(lot === undefined ? error : undefined, t`Failed to load lot data`, paths.lots);
  return <Page>{lot === undefined ? <Loading /> : <EditLot key={lot.id} lot={lot} />}</Page>;
}

/** The form beside the stock and the movements. `lot` is the newest version. */
const EditLot = ({ lot }: { lot: Lot }) => {
  const form = useRecordForm({
    values: valuesOfLot(lot),
    resolver: lotResolver,
    fields: lotFields,
    ...lotTexts,
    edited: {
      noun: 'lot',
      record: lot,
      valuesOf: valuesOfLot,
      labels: lotLabels(),
      read: async () => {
        await refresh(getLot);
        return call(getLot, { params: { id: lot.id } });
      },
    },
    save: (body, { revision, values }) =>
      call(updateLot, {
        params: { id: lot.id },
        body: { ...body, is_reserved: values.is_reserved, revision },
      }),
    saved: async (_lot, { leaveTo }) => {
      await refreshLots();
      toast(t`Lot ${lot.lot_number} saved`);
      leaveTo(paths.lots);
    },
  });
  return (
    <>
      <PageHeader
        title={t`Lot ${lot.lot_number}`}
        heading={lot.coffee_name}
        crumbs={lotCrumbs(t`Lot ${lot.lot_number}`)}
        badges={<StatusBadge status={lot.status} />}
        subtitle={<span className="font-mono text-sm">{lot.lot_number}</span>}
      />
      <div className="grid items-start gap-4 lg:grid-rows-[auto_1fr] lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="lg:col-start-2 lg:row-start-1">
          <StockPanel lot={lot} />
        </div>
        <div className="min-w-0 lg:col-start-1 lg:row-span-2 lg:row-start-1">
          <LotForm of={form} lot={lot} />
        </div>
        <div className="min-w-0 lg:col-start-2 lg:row-start-2">
          <MovementsPanel lot={lot} />
        </div>
      </div>
    </>
  );
};

const Loading = () => (
  <div aria-busy className="flex flex-col gap-4">
    <Skeleton className="h-4 w-48" />
    <Skeleton className="h-7 w-64" />
    <div className="mt-2 grid gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="flex flex-col gap-4">
        <Skeleton className="h-80 w-full" />
        <Skeleton className="h-64 w-full" />
      </div>
      <Skeleton className="h-72 w-full max-lg:order-first" />
    </div>
  </div>
);
