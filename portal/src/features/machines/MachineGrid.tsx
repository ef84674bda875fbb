import type { Machine } from '@roastery/contract/machines';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../language/t.ts';
import { Card, Skeleton } from '../../ui/Card.tsx';
import { MachineCard, type MachineDialog } from './MachineCard.tsx';

interface MachineGridProps {
  /** `undefined` while they are loading. */
  machines: readonly Machine[] | undefined;
  empty: ReactNode;
  onAdd: () => void;
  onOpen: (dialog: MachineDialog, machine: Machine) => void;
  onDelete: (machine: Machine) => void;
}

const gridClass = 'grid gap-3 sm:grid-cols-2 xl:grid-cols-3';
const skeletons = 3;

/** The machines as cards, with the Add tile at the end. */
export const MachineGrid = ({ machines, empty, onAdd, onOpen, onDelete }: MachineGridProps) => {
  if (machines === undefined) {
    return (
      <div aria-busy className={gridClass}>
        {Array.from({ length: skeletons }, (_, i) => (
          <Card key={i} className="flex h-52 flex-col gap-3 p-4">
            <Skeleton className="h-3 w-24" />
            <Skeleton className="h-5 w-40" />
            <Skeleton className="mt-auto h-8 w-full" />
          </Card>
        ))}
      </div>
    );
  }
  if (machines.length === 0) return empty;
  return (
    <ul className={gridClass}>
      {machines.map((machine) => (
        <li key={machine.id} className="min-w-0">
          <MachineCard machine={machine} onOpen={onOpen} onDelete={() => onDelete(machine)} />
        </li>
      ))}
      <li>
        <button
          type="button"
          onClick={onAdd}
          className="flex h-full min-h-32 w-full flex-col items-center justify-center gap-2 rounded-lg border border-dashed border-stroke-control text-base font-medium text-content hover:border-accent hover:bg-accent-soft hover:text-accent-text sm:min-h-52"
        >
          <Plus aria-hidden className="size-5" />
          {t`Add Machine`}
        </button>
      </li>
    </ul>
  );
};
