import { getLot } from '@roastery/contract/inventory';
import { useEffect } from 'react';
import { useNavigate, useParams } from 'react-router-dom';
import { logError } from '../../api/error-log.ts';
import { useApi } from '../../api/use-api.ts';
import { Page } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toast.ts';
import { EditLot } from './EditLot.tsx';

/** /inventory/lots/:id/edit: a lot that can't be loaded is told of, and the list shown instead. */
export default function EditLotPage() {
  const { id = '' } = useParams();
  const navigate = useNavigate();
  const { data: lot, error } = useApi(getLot, { params: { id } });
  const failed = error !== undefined && lot === undefined;
  useEffect(() => {
    if (!failed) return;
    logError('Failed to load lot data', error);
    toast('Failed to load lot data', { tone: 'danger' });
    void navigate(paths.lots, { replace: true });
  }, [failed, error, navigate]);
  return <Page>{lot === undefined ? <Loading /> : <EditLot key={lot.id} lot={lot} />}</Page>;
}

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
