import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';
import { Tabs } from '../../ui/Tabs.tsx';
import { ConsistencyTab } from './ConsistencyTab.tsx';
import { ExportSummaryMenu } from './ExportSummaryMenu.tsx';
import { FilterBar } from './FilterBar.tsx';
import { GreenTab } from './GreenTab.tsx';
import { ProductionTab } from './ProductionTab.tsx';
import { useAnalyticsFilter } from './use-analytics-filter.ts';

const tabs = [
  { value: 'production', label: t`Production` },
  { value: 'consistency', label: t`Consistency` },
  { value: 'green', label: t`Green coffee` },
] as const;
const tabNames = tabs.map(({ value }) => value);

/** /analytics, for every user over the machines they may see. Days, filters and tab are in the address. */
export default function AnalyticsPage() {
  const { read, change } = useUrlState();
  const tab = oneOf(tabNames, read('tab'), 'production');
  const page = useAnalyticsFilter();
  return (
    <Page>
      <PageHeader
        title={t`Analytics`}
        crumbs={[{ label: t`Analytics` }]}
        actions={<ExportSummaryMenu filter={page.filter} />}
      />
      <div className="flex flex-col gap-4">
        <Tabs
          label={t`Analytics`}
          tabs={tabs}
          value={tab}
          onChange={(next) => change({ tab: next === 'production' ? undefined : next })}
        />
        <FilterBar page={page} hideRecipe={tab === 'consistency'} />
        {tab === 'production' && <ProductionTab filter={page.filter} />}
        {tab === 'consistency' && <ConsistencyTab filter={page.filter} />}
        {tab === 'green' && <GreenTab filter={page.filter} />}
      </div>
    </Page>
  );
}
