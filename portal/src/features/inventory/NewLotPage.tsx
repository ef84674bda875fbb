import { createLot } from '@roastery/contract/inventory';
import { call } from '../../api/call.ts';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { t } from '../../language/t.ts';
import { toast } from '../../ui/toast.ts';
import { emptyLot, lotFields, lotResolver, lotTexts } from './lot-form-values.ts';
import { lotCrumbs, refreshLots } from './lots.ts';
import { LotForm } from './LotForm.tsx';

/** /inventory/lots/new */
export default function NewLotPage() {
  const form = useRecordForm({
    values: emptyLot,
    resolver: lotResolver,
    fields: lotFields,
    ...lotTexts,
    save: (body) => call(createLot, { body }),
    saved: async (lot, { leaveTo }) => {
      await refreshLots();
      toast(t`Lot ${lot.lot_number} saved`);
      leaveTo(paths.lots);
    },
  });
  return (
    <Page>
      <div className="mx-auto max-w-3xl">
        <PageHeader title={t`Add lot`} crumbs={lotCrumbs(t`New lot`)} subtitle={t`Green coffee that was delivered.`} />
        <LotForm of={form} />
      </div>
    </Page>
  );
}
