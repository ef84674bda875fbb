import { listMachines, machineTotals, type Machine } from '@roastery/contract/machines';
import { BookOpen, Factory, Plus, Search, SearchX, ShieldCheck } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { useSession } from '../../api/session.tsx';
import { useApi } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { BoardConfigDialog } from '../../components/machine-maps/BoardConfigDialog.tsx';
import { usePageActions } from '../../components/page-actions.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { PairMachineDialog } from '../../components/pairing/PairMachineDialog.tsx';
import { paths } from '../../components/paths.ts';
import { StatCard, StatRow } from '../../components/StatCard.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { useTyped } from '../../components/use-typed.ts';
import { formatCount, formatNumber } from '../../format/numbers.ts';
import { Button, ButtonLink } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { EditMachineDialog } from './EditMachineDialog.tsx';
import { MachineGrid } from './MachineGrid.tsx';
import { RegisterMachineDialog } from './RegisterMachineDialog.tsx';
import { removeMachine } from './remove-machine.ts';

const sorts = [
  { value: 'newest', label: 'Newest First' },
  { value: 'oldest', label: 'Oldest First' },
  { value: 'most_roasts', label: 'Most Roasts' },
  { value: 'name', label: 'Name (A-Z)' },
] as const;
const sortNames = sorts.map(({ value }) => value);
const refreshMs = 10_000;

export default function MachinesPage() {
  const { isAdmin } = useSession();
  const { read, change } = useUrlState();
  const q = read('q') ?? '';
  const sort = oneOf(sortNames, read('sort'), 'newest');
  const search = useCallback((text: string) => change({ q: text.trim() }), [change]);
  const [typed, setTyped] = useTyped(q, search);
  const [isRegistering, setIsRegistering] = useState(false);
  const [edited, setEdited] = useState<Machine | null>(null);
  const [mapped, setMapped] = useState<Machine | null>(null);
  const [paired, setPaired] = useState<Machine | null>(null);
  const [deleted, setDeleted] = useState<Machine | null>(null);

  const totals = useApi(machineTotals, {});
  const machines = useApi(listMachines, { query: { q, sort } }, { keepPreviousData: true, refreshInterval: refreshMs });
  const title = isAdmin ? 'All Machines' : 'My Machines';
  const shown = (text: string | undefined) => text ?? (totals.error === undefined ? undefined : null);

  usePageActions(
    useMemo(
      () => [
        { id: 'register', label: 'Register machine', icon: <Plus />, key: 'n', run: () => setIsRegistering(true) },
      ],
      [],
    ),
  );

  return (
    <Page>
      <PageHeader
        title={title}
        crumbs={[{ label: 'Home', to: paths.dashboard }, { label: 'Machines' }]}
        actions={
          <ButtonLink to={paths.machineMaps} icon={<BookOpen aria-hidden />}>
            Machine maps
          </ButtonLink>
        }
        subtitle={
          isAdmin && (
            <span className="flex items-center gap-1.5">
              <ShieldCheck aria-hidden className="size-4 shrink-0 text-accent-text" />
              Admin View: Viewing all machines from all users
            </span>
          )
        }
      />
      <div className="flex flex-col gap-5">
        <StatRow>
          <StatCard label="Machines" value={shown(totals.data && formatCount(totals.data.machines))} />
          <StatCard label="Roasts" value={shown(totals.data && formatCount(totals.data.roasts))} />
          <StatCard label="Roasted" value={shown(totals.data && formatNumber(totals.data.kg_roasted, 1))} unit="kg" />
        </StatRow>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <TextField
            label="Search machines"
            hideLabel
            type="search"
            size="sm"
            placeholder="Serial number or display name"
            icon={<Search />}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            className="w-full sm:w-80"
          />
          <Select
            label="Sort machines"
            hideLabel
            size="sm"
            className="w-44 max-sm:w-full"
            choices={sorts}
            value={sort}
            onChange={(value) => change({ sort: value === 'newest' ? undefined : value })}
          />
        </div>
        {machines.error !== undefined && (
          <ErrorLine
            title="Machines could not be loaded"
            error={machines.error}
            onRetry={() => void machines.mutate()}
          />
        )}
        <MachineGrid
          machines={machines.data ?? (machines.error === undefined ? undefined : [])}
          onAdd={() => setIsRegistering(true)}
          onEdit={setEdited}
          onMap={setMapped}
          onPair={setPaired}
          onDelete={setDeleted}
          empty={
            <Card>
              {q === '' ? (
                <EmptyState
                  icon={<Factory />}
                  title="No machines registered"
                  action={
                    <Button kind="primary" size="md" icon={<Plus aria-hidden />} onClick={() => setIsRegistering(true)}>
                      Register First Machine
                    </Button>
                  }
                >
                  Register a machine to connect the board beside it and see its roasts live.
                </EmptyState>
              ) : (
                <EmptyState
                  icon={<SearchX />}
                  title="No machines match your filters"
                  action={
                    <Button size="md" onClick={() => change({ q: undefined })}>
                      Clear search
                    </Button>
                  }
                />
              )}
            </Card>
          }
        />
      </div>
      <RegisterMachineDialog open={isRegistering} onClose={() => setIsRegistering(false)} />
      <BoardConfigDialog machine={mapped} onClose={() => setMapped(null)} />
      <PairMachineDialog machine={paired} onClose={() => setPaired(null)} />
      <EditMachineDialog machine={edited} onClose={() => setEdited(null)} />
      <ConfirmDialog
        thing={deleted}
        onClose={() => setDeleted(null)}
        title={() => 'Delete machine'}
        question={({ display_name }) =>
          `Delete ${display_name}? This action cannot be undone if the machine has no roasts.`
        }
        confirmLabel="Delete"
        onConfirm={removeMachine}
      />
    </Page>
  );
}
