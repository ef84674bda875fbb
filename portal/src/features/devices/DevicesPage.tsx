import { Search } from 'lucide-react';
import { useCallback } from 'react';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { useTyped } from '../../components/use-typed.ts';
import { Tabs } from '../../ui/Tabs.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { Boards } from './Boards.tsx';
import { Quarantine } from './Quarantine.tsx';
import { Tickets } from './Tickets.tsx';

const tabs = [
  { value: 'boards', label: 'Boards' },
  { value: 'tickets', label: 'Pairing tickets' },
  { value: 'quarantine', label: 'Quarantine' },
] as const;
const tabNames = tabs.map(({ value }) => value);

/** /admin/devices: the fleet and its pairing tickets. */
export default function DevicesPage() {
  const { read, change } = useUrlState();
  const q = read('q') ?? '';
  const tab = oneOf(tabNames, read('tab'), 'boards');
  const page = Math.max(1, Math.floor(Number(read('page') ?? 1)) || 1);
  const search = useCallback((text: string) => change({ q: text.trim() }), [change]);
  const [typed, setTyped] = useTyped(q, search);
  const turn = (next: number) => change({ page: next === 1 ? undefined : String(next) });

  return (
    <Page>
      <PageHeader
        title="Devices"
        crumbs={[{ label: 'Home', to: paths.dashboard }, { label: 'Admin' }, { label: 'Devices' }]}
        subtitle="The boards beside the machines, as they last described themselves"
      />
      <div className="flex flex-col gap-4">
        <Tabs
          label="Devices"
          tabs={tabs}
          value={tab}
          onChange={(next) => change({ tab: next === 'boards' ? undefined : next })}
        />
        <TextField
          label="Search devices"
          hideLabel
          type="search"
          size="sm"
          placeholder="Machine, serial number or owner"
          icon={<Search />}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className="w-full sm:w-80"
        />
        {tab === 'boards' && <Boards q={q} page={page} onPage={turn} />}
        {tab === 'tickets' && <Tickets q={q} page={page} onPage={turn} />}
        {tab === 'quarantine' && <Quarantine q={q} page={page} onPage={turn} />}
      </div>
    </Page>
  );
}
