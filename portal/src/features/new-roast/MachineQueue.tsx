import type { PlannedRoast } from '@roastery/contract/planned';
import { Copy, Ellipsis, GripVertical, ListX, Pencil, X } from 'lucide-react';
import { useState } from 'react';
import { useInOrder } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { plannedDetails, plannedName } from '../../components/PlannedRoast.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu, MenuItem } from '../../ui/Menu.tsx';
import { clear, copyPlan, removeFromQueue, saveOrder } from './queue-changes.ts';
import { useReorder } from './use-reorder.ts';

interface MachineQueueProps {
  machineId: string;
  plans: readonly PlannedRoast[];
  /** Viewers see the queue and change nothing. */
  mayChange: boolean;
  onOpen: (planId: string) => void;
  onEdit: (planId: string) => void;
}

/** The queue of one machine: put in order by drag or by the arrow keys, edited, copied, cleared. */
export const MachineQueue = ({ machineId, plans, mayChange, onOpen, onEdit }: MachineQueueProps) => {
  const [asked, setAsked] = useState<string | null>(null);
  const [said, setSaid] = useState('');
  const name = plans[0]?.machine_name ?? '';
  const { inOrder, isSaving } = useInOrder();
  const order = useReorder(plans, isSaving, (next, before) => {
    setSaid(next.map((plan, index) => `${index + 1}. ${plannedName(plan)}`).join(', '));
    void inOrder(() => saveOrder(machineId, next, before));
  });
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
        {order.shown.map((plan, index) => (
          <li
            key={plan.id}
            className={classes(
              'flex items-center gap-1 py-1.5 pr-2',
              mayChange ? 'pl-1' : 'pl-4',
              order.dragged === plan.id && 'bg-accent-soft',
            )}
          >
            {mayChange && (
              <IconButton
                {...order.handle(plan.id)}
                size="md"
                label={t`Move ${plannedName(plan)}, place ${index + 1} of ${plans.length}: drag, or arrow up and down`}
                icon={<GripVertical aria-hidden />}
                className="cursor-grab touch-none"
              />
            )}
            <button
              type="button"
              onClick={() => onOpen(plan.id)}
              className="min-w-0 flex-1 rounded-sm py-1.5 text-left hover:underline"
            >
              <span className="block truncate text-base font-medium text-strong">{plannedName(plan)}</span>
              <span className="block truncate text-sm text-muted">{plannedDetails(plan)}</span>
              <span className="block truncate text-xs text-muted">
                {index === 0
                  ? t`Next · added ${<RelativeTime moment={plan.created_at} />}`
                  : t`${index} ahead · added ${<RelativeTime moment={plan.created_at} />}`}
                {plan.roasted_by !== null && ` · ${plan.roasted_by}`}
              </span>
            </button>
            {mayChange && (
              <Menu
                trigger={
                  <IconButton size="md" label={t`Actions for ${plannedName(plan)}`} icon={<Ellipsis aria-hidden />} />
                }
              >
                <MenuItem icon={<Pencil aria-hidden />} onSelect={() => onEdit(plan.id)}>
                  {t`Edit`}
                </MenuItem>
                <MenuItem icon={<Copy aria-hidden />} onSelect={() => void copyPlan(plan)}>
                  {t`Copy`}
                </MenuItem>
                <MenuItem icon={<X aria-hidden />} danger onSelect={() => void removeFromQueue(plan)}>
                  {t`Remove from queue`}
                </MenuItem>
              </Menu>
            )}
          </li>
        ))}
      </ol>
      <output className="sr-only">{said}</output>
      <ConfirmDialog
        thing={asked}
        onClose={() => setAsked(null)}
        title={() => t`Clear the queue`}
        question={(machine) => t`Remove every roast from the queue of ${machine}? Their batch numbers stay listed.`}
        confirmLabel={t`Clear queue`}
        onConfirm={async () => {
          await clear(machineId);
        }}
      />
    </section>
  );
};
