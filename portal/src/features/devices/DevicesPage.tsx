import { useCallback } from 'react';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { ListSearch } from '../../components/table/ListControls.tsx';
import { t } from '../../language/t.ts';
import { Tabs } from '../../ui/Tabs.tsx';
import { BoardPackages } from './BoardPackages.tsx';
import { Boards } from './Boards.tsx';
import { Quarantine } from './Quarantine.tsx';
import { Tickets } from './Tickets.tsx';
import { WallLinks } from './WallLinks.tsx';

const tabs = [
  { value: 'boards', label: t`Boards` },
  { value: 'tickets', label: t`Pairing tickets` },
  { value: 'quarantine', label: t`Quarantine` },
  { value: 'software', label: t`Software` },
  { value: 'wall', label: t`Wall links` },
] as const;
const tabNames = tabs.map(({ value }) => value);

/** /admin/devices: boards, pairing tickets, quarantined messages, software for boards and links of the wall. */
export default function DevicesPage() {
  const { read, change } = useUrlState();
  const q = read('q') ?? '';
  const tab = oneOf(tabNames, read('tab'), 'boards');
  const searchFor = useCallback((text: string) => change({ q: text.trim() }), [change]);

  return (
    <Page>
      <PageHeader
        title={t`Devices`}
        crumbs={[{ label: t`Admin` }, { label: t`Devices` }]}
        subtitle={t`Status reported by each board`}
      />
      <div className="flex flex-col gap-4">
        <Tabs
          label={t`Devices`}
          tabs={tabs}
          value={tab}
          onChange={(next) => change({ tab: next === 'boards' ? undefined : next })}
        />
        {tab !== 'wall' && tab !== 'software' && (
          <ListSearch
            search={{ q, searchFor }}
            label={t`Search devices`}
            placeholder={tab === 'tickets' ? t`Machine, owner or ticket ID` : t`Machine, serial number or owner`}
          />
        )}
        {tab === 'boards' && <Boards />}
        {tab === 'tickets' && <Tickets />}
        {tab === 'quarantine' && <Quarantine />}
        {tab === 'software' && <BoardPackages />}
        {tab === 'wall' && <WallLinks />}
      </div>
    </Page>
  );
}
