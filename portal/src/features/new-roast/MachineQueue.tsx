import type { PlannedDay, PlannedRoast } from '@roastery/contract/planned';
import { CalendarArrowDown, Copy, Ellipsis, GripVertical, ListX, Pencil, Split, X } from 'lucide-react';
import { useState } from 'react';
import { useInOrder } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { plannedDetails, plannedName } from '../../components/PlannedRoast.tsx';
import { formatCount } from '../../format/numbers.ts';
import { exactWeight } from '../../format/weights.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { QueueDay, useDayName } from './QueueDay.tsx';
import { clear, copyPlan, saveOrder, removeFromQueue } from './queue-changes.ts';
import { movedToDay, orderOf, rowsOf, type QueueRow } from './queue-rows.ts';
import { useReorder } from './use-reorder.ts';

interface MachineQueueProps {
  machineId: string;
  plans: readonly PlannedRoast[];
  days: readonly PlannedDay[];
  /** The present day of the roastery. */
  today: string;
  /** Viewers see the queue and change nothing. */
  mayChange: boolean;
  onOpen: (planId: string) => void;
  onEdit: (planId: string) => void;
}

type RoastsRow = Extract<QueueRow, { kind: 'roasts' }>;

/** `5 × House Espresso` */
const rowName = ({ plans }: RoastsRow): string => {
  const name = plannedName(plans[0]);
  return plans.length === 1 ? name : `${formatCount(plans.length)} × ${name}`;
};

/** `Batch R-16 · 26 kg · L-0042`, of several `Batch · 26 kg each, 130 kg · L-0042`. */
const rowDetails = ({ plans }: RoastsRow): string => {
  const [first] = plans;
  const last = plans.at(-1) ?? first;
  if (plans.length === 1) return plannedDetails(first);
  const kg = first.batch_size_kg;
  const { batch_number: from } = first;
  const parts = [
    from === null || last.batch_number === null ? null : t`Batch ${from} to ${last.batch_number}`,
    kg === null ? null : t`${exactWeight(kg)} each, ${exactWeight(kg * plans.length)}`,
    first.lot_number,
    first.profile_name === plannedName(first) ? null : first.profile_name,
  ];
  return parts.filter((part) => part !== null).join(' · ');
};

/** The queue of one machine, day by day: put in order by drag, by the arrow keys or by its menu, edited, copied, cleared. */
export const MachineQueue = ({ machineId, plans, days, today, mayChange, onOpen, onEdit }: MachineQueueProps) => {
  const [asked, setAsked] = useState<string | null>(null);
  const [said, setSaid] = useState('');
  const [apart, setApart] = useState<ReadonlySet<string>>(new Set());
  const dayName = useDayName(today);
  const name = plans[0]?.machine_name ?? '';
  const [removing, setRemoving] = useState<PlannedRoast | null>(null);
  const { inOrder, isSaving } = useInOrder();
  const save = (next: readonly QueueRow[], before: readonly QueueRow[]) => {
    const order = orderOf(next);
    setSaid(next.map((row) => (row.kind === 'day' ? dayName(row.day) : rowName(row))).join(', '));
    void inOrder(() => saveOrder(machineId, order.plans, orderOf(before).plans, order.moved));
  };
  const rows = rowsOf(plans, apart);
  const order = useReorder(rows, isSaving, 1, save);
  const otherDays = (of: string) => rows.flatMap((row) => (row.kind === 'day' && row.day !== of ? [row.day] : []));
  return (
    <section aria-label={t`Queue of ${name}`}>
      <header className="flex min-h-12 items-center justify-between gap-3 border-b border-stroke bg-sunken pr-2 pl-4">
        <h3 className="truncate text-sm font-semibold text-strong">{name}</h3>
        {mayChange && (
          <Button kind="quiet" icon={<ListX aria-hidden />} onClick={() => setAsked(name)}>
            {t`Clear`}
          </Button>
        )}
      </header>
      <ol className="divide-y divide-stroke">
        {order.shown.map((row) =>
          row.kind === 'day' ? (
            <li key={row.id} className="bg-canvas px-4 py-2">
              <QueueDay name={dayName(row.day)} day={days.find(({ day }) => day === row.day)} />
            </li>
          ) : (
            <li
              key={row.id}
              className={classes(
                'flex items-center gap-1 py-1.5 pr-2',
                mayChange ? 'pl-1' : 'pl-4',
                order.dragged === row.id && 'bg-accent-soft',
              )}
            >
              {mayChange && (
                <IconButton
                  {...order.handle(row.id)}
                  size="md"
                  label={t`Move ${rowName(row)}, place ${row.plans[0].ahead + 1} of ${plans.length}: drag, or arrow up and down`}
                  icon={<GripVertical aria-hidden />}
                  className="cursor-grab touch-none"
                />
              )}
              <QueuedWork row={row} onOpen={onOpen} />
              {mayChange && (
                <RowMenu
                  {...{ row, onEdit, dayName }}
                  onRemove={setRemoving}
                  days={otherDays(row.plans[0].day)}
                  onDay={(day) => save(movedToDay(rows, row.id, day), rows)}
                  onApart={() => setApart(new Set([...apart, ...row.plans.map(({ id }) => id)]))}
                />
              )}
            </li>
          ),
        )}
      </ol>
      <output className="sr-only">{said}</output>
      <RemoveFromQueue plan={removing} onClose={() => setRemoving(null)} />
      <ConfirmDialog
        thing={asked}
        onClose={() => setAsked(null)}
        title={() => t`Clear the queue`}
        question={(machine) => t`Remove every roast from the queue of ${machine}? Their batch numbers stay listed.`}
        confirmLabel={t`Clear queue`}
        onConfirm={() => clear(machineId)}
      />
    </section>
  );
};

const QueuedWork = ({ row, onOpen }: { row: RoastsRow; onOpen: (planId: string) => void }) => {
  const [plan] = row.plans;
  return (
    <button
      type="button"
      onClick={() => onOpen(plan.id)}
      className="min-w-0 flex-1 rounded-sm py-1.5 text-left hover:underline"
    >
      <span className="block truncate text-base font-medium text-strong">{rowName(row)}</span>
      <span className="block text-sm wrap-anywhere text-muted">{rowDetails(row)}</span>
      <span className="block truncate text-xs text-muted">
        {plan.ahead === 0
          ? t`Next · added ${<RelativeTime moment={plan.created_at} />}`
          : t`${plan.ahead} ahead · added ${<RelativeTime moment={plan.created_at} />}`}
        {plan.roasted_by !== null && ` · ${plan.roasted_by}`}
      </span>
    </button>
  );
};

interface RowMenuProps {
  row: RoastsRow;
  /** Days to which it can be moved. */
  days: readonly string[];
  dayName: (day: string) => string;
  onDay: (day: string) => void;
  onEdit: (planId: string) => void;
  onRemove: (plan: PlannedRoast) => void;
  /** Shows each roast of the row by itself. */
  onApart: () => void;
}

/** What can be done with a row; several roasts are edited, copied and removed one by one. */
const RowMenu = ({ row, days, dayName, onDay, onEdit, onRemove, onApart }: RowMenuProps) => {
  const [plan] = row.plans;
  const isOne = row.plans.length === 1;
  return (
    <Menu trigger={<IconButton size="md" label={t`Actions for ${rowName(row)}`} icon={<Ellipsis aria-hidden />} />}>
      {!isOne && (
        <MenuItem icon={<Split aria-hidden />} onSelect={onApart}>
          {t`Show each`}
        </MenuItem>
      )}
      {isOne && (
        <MenuItem icon={<Pencil aria-hidden />} onSelect={() => onEdit(plan.id)}>
          {t`Edit`}
        </MenuItem>
      )}
      <MenuItem icon={<Copy aria-hidden />} onSelect={() => void copyPlan(plan)}>
        {isOne ? t`Copy` : t`Add one more`}
      </MenuItem>
      {days.map((day) => (
        <MenuItem key={day} icon={<CalendarArrowDown aria-hidden />} onSelect={() => onDay(day)}>
          {t`Move to ${dayName(day)}`}
        </MenuItem>
      ))}
      {isOne && (
        <MenuItem icon={<X aria-hidden />} danger onSelect={() => onRemove(plan)}>
          {t`Remove from queue`}
        </MenuItem>
      )}
    </Menu>
  );
};

interface RemoveFromQueueProps {
  /** Null while nothing is asked. */
  plan: PlannedRoast | null;
  onClose: () => void;
  onRemoved?: () => void;
}

/** Asks before a roast leaves the queue: planned again, it has another number and the last place. */
export const RemoveFromQueue = ({ plan, onClose, onRemoved }: RemoveFromQueueProps) => (
  <ConfirmDialog
    thing={plan}
    onClose={onClose}
    title={() => t`Remove from queue`}
    question={(one) =>
      t`Remove ${plannedName(one)} from the queue of ${one.machine_name}? Its batch number stays listed.`
    }
    confirmLabel={t`Remove`}
    onConfirm={(one) => removeFromQueue(one, onRemoved)}
  />
);
