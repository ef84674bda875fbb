import { deleteBlend, listBlendableRoasts, listBlends, type Blend } from '@roastery/contract/blends';
import { Blend as BlendIcon, Plus } from 'lucide-react';
import { useMemo } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { useAddAction } from '../../components/page-actions.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { exactWeight } from '../../format/weights.ts';
import { useDates } from '../../format/preferences.ts';
import { RoastTabs } from '../../components/RoastTabs.tsx';
import { DataTable } from '../../components/table/DataTable.tsx';
import { DeleteButton, ListSearch, NoMatch } from '../../components/table/ListControls.tsx';
import { useListPage } from '../../components/table/use-list-page.tsx';
import type { Deletion } from '../../components/use-deletion.tsx';
import { t } from '../../language/t.ts';
import { ButtonLink } from '../../ui/Button.tsx';
import { blendColumns } from './blend-columns.tsx';

const deletion: Deletion<Blend> = {
  remove: (blend) => call(deleteBlend, { params: { id: blend.id } }),
  refresh: () => refresh(listBlends, listBlendableRoasts),
  title: ([blend]) => t`Delete ${blend.name}`,
  question: ([blend]) =>
    t`Delete blend "${blend.name}"? The ${exactWeight(blend.total_kg)} in it become available again.`,
  done: ([blend]) => ({ text: t`Blend ${blend.name} deleted` }),
  failed: (error) => ({ text: sentenceFor(error, t`Failed to delete blend`) }),
};

/** /roasts/blends: blends of finished roasts. */
export default function BlendsPage() {
  const dates = useDates();
  const columns = useMemo(() => blendColumns(dates), [dates]);
  const list = useListPage(listBlends, {
    input: (query) => ({ query }),
    rows: ({ blends }) => blends,
    total: ({ total }) => total,
    rowId: ({ id }) => id,
    pageSize: 50,
    deletion,
    isSelectable: false,
  });
  useAddAction(t`Add blend`, paths.newBlend);
  const addBlend = (
    <ButtonLink to={paths.newBlend} kind="primary" icon={<Plus aria-hidden />}>
      {t`Add blend`}
    </ButtonLink>
  );
  return (
    <Page wide>
      <PageHeader
        title={t`Post-roast blends`}
        heading={t`Roasts`}
        crumbs={[{ label: t`Roast` }, { label: t`Overview` }, { label: t`Post-roast blends` }]}
        actions={addBlend}
      />
      <RoastTabs value="blends" />
      <div className="pb-3">
        <ListSearch search={list.search} label={t`Search blends`} placeholder={t`Search blend, coffee, roast…`} />
      </div>
      <DataTable
        {...list.table}
        label={t`Blends`}
        columns={columns}
        rowLabel={(blend) => t`Blend ${blend.name}`}
        rowLink={(blend) => paths.blend(blend.id)}
        rowActions={(blend) => (
          <DeleteButton label={t`Delete blend ${blend.name}`} onClick={() => list.delete([blend])} />
        )}
        empty={
          list.search.q === '' ? (
            <EmptyState icon={<BlendIcon aria-hidden />} title={t`No blends yet`} action={addBlend}>
              {t`A blend is made of finished roasts, up to the weight that is left of each.`}
            </EmptyState>
          ) : (
            <NoMatch title={t`No blends match your search`} search={list.search} />
          )
        }
      />
      {list.dialog}
    </Page>
  );
}
