import { formatCount } from '../../format/numbers.ts';
import type { ResponseOf } from '@roastery/contract/endpoint';
import { deleteMachine, getMachine, listMachines, machineTotals, type Machine } from '@roastery/contract/machines';
import { BookOpen, Factory, Plus, ShieldCheck } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useSession } from '../../api/session.tsx';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { lazyDialog } from '../../components/lazy-dialog.tsx';
import { usePageActions } from '../../components/page-actions.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { PairMachineDialog } from '../../components/pairing/PairMachineDialog.tsx';
import { paths } from '../../components/paths.ts';
import { mayManage } from '../../components/people/roles.ts';
import { StatCard, StatRow } from '../../components/StatCard.tsx';
import { ListSearch, NoMatch } from '../../components/table/ListControls.tsx';
import { useListPage } from '../../components/table/use-list-page.tsx';
import { useUrlState } from '../../components/url-state.ts';
import type { Deletion } from '../../components/use-deletion.tsx';
import { weightNumber, weightUnit } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Select } from '../../ui/Select.tsx';
import type { MachineDialog } from './MachineCard.tsx';
import { MachineGrid } from './MachineGrid.tsx';

const RegisterMachineDialog = lazyDialog(
  async () => (await import('./RegisterMachineDialog.tsx')).RegisterMachineDialog,
  ({ open }) => open,
);
const EditMachineDialog = lazyDialog(
  async () => (await import('./EditMachineDialog.tsx')).EditMachineDialog,
  ({ machine }) => machine !== null,
);
const PeopleDialog = lazyDialog(
  async () => (await import('./PeopleDialog.tsx')).PeopleDialog,
  ({ machine }) => machine !== null,
);
const AlarmsDialog = lazyDialog(
  async () => (await import('./AlarmsDialog.tsx')).AlarmsDialog,
  ({ machine }) => machine !== null,
);
const BoardConfigDialog = lazyDialog(
  async () => (await import('../../components/machine-maps/BoardConfigDialog.tsx')).BoardConfigDialog,
  ({ machine }) => machine !== null,
);

const sorts = [
  { value: 'newest', label: t`Newest First` },
  { value: 'oldest', label: t`Oldest First` },
  { value: 'most_roasts', label: t`Most Roasts` },
  { value: 'name', label: t`Name (A-Z)` },
] as const;
const sortNames = sorts.map(({ value }) => value);
const refreshMs = 10_000;

const deletion: Deletion<Machine, ResponseOf<typeof deleteMachine>> = {
  remove: (machine) => call(deleteMachine, { params: { id: machine.id } }),
  refresh: () => refresh(listMachines, machineTotals),
  title: () => t`Delete machine`,
  question: ([machine]) =>
    t`Delete ${machine.display_name}? This action cannot be undone if the machine has no roasts.`,
  done: ([machine], [answer]) => ({
    text: answer?.message ?? t`${machine.display_name} deleted`,
    ...(answer?.archived && {
      tone: 'info',
      detail: t`Machine archived instead of deleted to preserve roast history.`,
      stays: 12_000,
    }),
  }),
  failed: (error) => ({ text: sentenceFor(error, t`Failed to delete machine`) }),
};

/** /machines: own machines, or those of all users for an administrator. */
export default function MachinesPage() {
  const { isAdmin } = useSession();
  const [isRegistering, setIsRegistering] = useState(false);
  const [opened, setOpened] = useState<Opened | null>(null);
  const register = () => setIsRegistering(true);
  const list = useListPage(listMachines, {
    input: ({ q, sort }) => ({ query: { ...(q === undefined ? {} : { q }), ...(sort === undefined ? {} : { sort }) } }),
    rows: (machines) => machines,
    rowId: ({ id }) => id,
    sorts: sortNames,
    initialSort: 'newest',
    pageSize: 0,
    refreshInterval: refreshMs,
    deletion,
  });
  usePageActions(
    useMemo(
      () => [
        { id: 'register', label: t`Register machine`, icon: <Plus />, key: 'n', run: () => setIsRegistering(true) },
      ],
      [],
    ),
  );

  return (
    <Page>
      <PageHeader
        title={isAdmin ? t`All Machines` : t`My Machines`}
        crumbs={[{ label: t`Machines` }]}
        actions={
          <ButtonLink to={paths.machineMaps} icon={<BookOpen aria-hidden />}>
            {t`Machine maps`}
          </ButtonLink>
        }
        subtitle={
          isAdmin && (
            <span className="flex items-center gap-1.5">
              <ShieldCheck aria-hidden className="size-4 shrink-0 text-accent-text" />
              {t`Admin View: Viewing all machines from all users`}
            </span>
          )
        }
      />
      <div className="flex flex-col gap-5">
        <Totals />
        <div className="flex flex-wrap items-center justify-between gap-3">
          <ListSearch search={list.search} label={t`Search machines`} placeholder={t`Serial number or display name`} />
          <Select
            label={t`Sort machines`}
            hideLabel
            size="sm"
            className="w-44 max-sm:w-full"
            choices={sorts}
            value={list.sort ?? 'newest'}
            onChange={list.sortBy}
          />
        </div>
        <ErrorLine title={t`Machines could not be loaded`} error={list.error} onRetry={list.table.onRetry} />
        <MachineGrid
          machines={list.data ?? (list.error === undefined ? undefined : [])}
          onAdd={register}
          onOpen={(dialog, machine) => setOpened({ dialog, machine })}
          onDelete={(machine) => list.delete([machine])}
          empty={
            <Card>
              {list.search.q === '' ? (
                <NoMachines onRegister={register} />
              ) : (
                <NoMatch title={t`No machines match your filters`} search={list.search} />
              )}
            </Card>
          }
        />
      </div>
      <RegisterMachineDialog open={isRegistering} onClose={() => setIsRegistering(false)} />
      <MachineDialogs opened={opened} onClose={() => setOpened(null)} />
      {list.dialog}
    </Page>
  );
}

const Totals = () => {
  const { data, error } = useApi(machineTotals, {});
  const shown = (text: string | undefined) => text ?? (error === undefined ? undefined : null);
  return (
    <StatRow>
      <StatCard label={t`Machines`} value={shown(data && formatCount(data.machines))} />
      <StatCard label={t`Roasts`} value={shown(data && formatCount(data.roasts))} />
      <StatCard label={t`Roasted`} value={shown(data && weightNumber(data.kg_roasted, 1, 1))} unit={weightUnit()} />
    </StatRow>
  );
};

const NoMachines = ({ onRegister }: { onRegister: () => void }) => {
  const { isAdmin } = useSession();
  return (
    <EmptyState
      icon={<Factory />}
      title={t`No machines registered`}
      action={
        <Button kind="primary" size="md" icon={<Plus aria-hidden />} onClick={onRegister}>
          {t`Register First Machine`}
        </Button>
      }
    >
      <p>{t`Register a machine to connect the board beside it and see its roasts live.`}</p>
      {!isAdmin && <p>{t`To see one that is registered, ask its owner or an administrator.`}</p>}
    </EmptyState>
  );
};

/** What is open, and of which machine. */
interface Opened {
  readonly dialog: MachineDialog;
  readonly machine: Machine;
}

/** The dialogs of a card; the settings are also opened by a link. */
const MachineDialogs = ({ opened, onClose }: { opened: Opened | null; onClose: () => void }) => {
  const { read, change } = useUrlState();
  const settingsOf = read('settings');
  const linked = useApi(getMachine, settingsOf === undefined ? null : { params: { id: settingsOf } });
  const asked = linked.data !== undefined && mayManage(linked.data.role) ? linked.data : null;
  const machineOf = (dialog: MachineDialog) => (opened?.dialog === dialog ? opened.machine : null);
  return (
    <>
      <BoardConfigDialog
        machine={machineOf('settings') ?? asked}
        onClose={() => {
          onClose();
          change({ settings: undefined });
        }}
      />
      <PeopleDialog machine={machineOf('people')} onClose={onClose} />
      <AlarmsDialog machine={machineOf('alarms')} onClose={onClose} />
      <PairMachineDialog machine={machineOf('pairing')} onClose={onClose} />
      <EditMachineDialog machine={machineOf('edit')} onClose={onClose} />
    </>
  );
};
