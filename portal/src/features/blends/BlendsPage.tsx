import { deleteBlend, listBlendableRoasts, listBlends, type Blend } from '@roastery/contract/blends';
import { Blend as BlendIcon, Plus, Search, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { usePageActions } from '../../components/page-actions.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { formatExactKilograms } from '../../format/numbers.ts';
import { useDates } from '../../format/preferences.ts';
import { RoastTabs } from '../../components/RoastTabs.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { useUrlState } from '../../components/url-state.ts';
import { useTyped } from '../../components/use-typed.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { toast } from '../../ui/toast.ts';
import { blendColumns } from './blend-columns.tsx';

const pageSize = 50;

const remove = async (blend: Blend) => {
  try {
    await call(deleteBlend, { params: { id: blend.id } });
    toast(`Blend ${blend.name} deleted`);
  } catch (failure) {
    logError('Failed to delete blend', failure);
    toast(sentenceFor(failure, 'Failed to delete blend'), { tone: 'danger' });
  } finally {
    await refresh(listBlends, listBlendableRoasts);
  }
};

/** /roasts/blends: what was mixed of finished roasts. */
export default function BlendsPage() {
  const dates = useDates();
  const navigate = useNavigate();
  const { read, change } = useUrlState();
  const q = read('q') ?? '';
  const page = Math.max(1, Math.floor(Number(read('page') ?? 1)) || 1);
  const [typed, setTyped] = useTyped(q, (text) => change({ q: text }));
  const { data, error, isValidating, mutate } = useApi(
    listBlends,
    { query: { limit: pageSize, offset: (page - 1) * pageSize, ...(q === '' ? {} : { q }) } },
    { keepPreviousData: true },
  );
  usePageActions(
    useMemo(
      () => [{ id: 'add-blend', label: 'Add blend', key: 'n', run: () => void navigate(paths.newBlend) }],
      [navigate],
    ),
  );
  const [deleting, setDeleting] = useState<Blend | null>(null);
  const columns = useMemo(() => blendColumns(dates), [dates]);
  const addBlend = (
    <ButtonLink to={paths.newBlend} kind="primary" icon={<Plus aria-hidden />}>
      Add blend
    </ButtonLink>
  );
  return (
    <Page wide>
      <PageHeader
        title="Post-roast blends"
        heading="Roasts"
        crumbs={[
          { label: 'Home', to: paths.dashboard },
          { label: 'Roast' },
          { label: 'Overview' },
          { label: 'Post-roast blends' },
        ]}
        actions={addBlend}
      />
      <RoastTabs value="blends" />
      <div className="pb-3">
        <TextField
          label="Search blends"
          hideLabel
          size="sm"
          type="search"
          icon={<Search aria-hidden />}
          placeholder="Search blend, coffee, roast…"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className="w-full sm:w-80"
        />
      </div>
      <DataTable
        label="Blends"
        columns={columns}
        rows={data?.blends}
        rowId={(blend) => blend.id}
        rowLabel={(blend) => `Blend ${blend.name}`}
        rowLink={(blend) => paths.blend(blend.id)}
        rowActions={(blend) => (
          <IconButton
            label={`Delete blend ${blend.name}`}
            tone="danger"
            icon={<Trash2 aria-hidden />}
            onClick={() => setDeleting(blend)}
          />
        )}
        error={error}
        onRetry={() => void mutate()}
        isRefreshing={isValidating && data !== undefined}
        empty={
          q === '' ? (
            <EmptyState icon={<BlendIcon aria-hidden />} title="No blends yet" action={addBlend}>
              A blend is made of finished roasts, as many kilograms of each as are left.
            </EmptyState>
          ) : (
            <EmptyState
              icon={<Search aria-hidden />}
              title="No blends match your search"
              action={<Button onClick={() => change({ q: undefined })}>Clear search</Button>}
            >
              Nothing was found for “{q}”.
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
      <ConfirmDialog
        thing={deleting}
        onClose={() => setDeleting(null)}
        title={(blend) => `Delete ${blend.name}`}
        question={(blend) =>
          `Delete blend "${blend.name}"? Its roasts get back the ${formatExactKilograms(blend.total_kg)} kg it took.`
        }
        confirmLabel="Delete"
        onConfirm={remove}
      />
    </Page>
  );
}
