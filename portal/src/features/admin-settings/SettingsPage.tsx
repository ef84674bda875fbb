import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';
import { Tabs } from '../../ui/Tabs.tsx';
import { DropdownOptions } from './DropdownOptions.tsx';
import { MailCard } from './MailCard.tsx';
import { SharingCard } from './SharingCard.tsx';
import { RoasteryInfo } from './RoasteryInfo.tsx';

/** /admin/settings: data of the roastery and the option lists. */
export default function SettingsPage() {
  const { read, change } = useUrlState();
  const tab = oneOf(['roastery', 'options'] as const, read('tab'), 'roastery');
  return (
    <Page>
      <PageHeader title={t`Settings`} crumbs={[{ label: t`Admin` }, { label: t`Settings` }]} />
      <Tabs
        label={t`Settings`}
        value={tab}
        onChange={(next) => change({ tab: next === 'roastery' ? undefined : next, category: undefined })}
        tabs={[
          { value: 'roastery', label: t`Roastery Info` },
          { value: 'options', label: t`Dropdown Options` },
        ]}
      />
      {/* Stays mounted: changing the tab must not lose typed text. */}
      <div hidden={tab !== 'roastery'} className="pt-4">
        <RoasteryInfo />
        <SharingCard />
        <MailCard />
      </div>
      {tab === 'options' && (
        <div className="pt-4">
          <DropdownOptions />
        </div>
      )}
    </Page>
  );
}
