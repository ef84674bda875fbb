import { listMachines } from '@roastery/contract/machines';
import { listRoasts } from '@roastery/contract/roasts';
import { Coffee, CornerDownLeft, Factory } from 'lucide-react';
import { createElement, type ReactNode } from 'react';
import { useNavigate } from 'react-router-dom';
import { useSession } from '../api/session.tsx';
import { useApi } from '../api/use-api.ts';
import { useOfferedActions } from '../components/page-actions.tsx';
import { paths } from '../components/paths.ts';
import { useDates } from '../components/preferences.ts';
import { destinationsFor } from './destinations.ts';

export interface PaletteItem {
  id: string;
  label: string;
  hint?: string;
  /** Beside the hint where there is room. */
  moreHint?: string;
  icon: ReactNode;
  keys?: readonly string[];
  run: () => void;
}

export interface PaletteGroup {
  title: string;
  items: readonly PaletteItem[];
}

const found = 5;

/** True when every typed word is the beginning of a word in the label. */
export const matches = (label: string, typed: string): boolean => {
  const words = label.toLowerCase().split(/\s+/);
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
};

/** What the palette offers for a typed text: actions of the page, places, then machines and roasts the server finds. */
export const usePaletteGroups = (
  typed: string,
  searched: string,
): { groups: readonly PaletteGroup[]; isSearching: boolean } => {
  const navigate = useNavigate();
  const { isAdmin } = useSession();
  const actions = useOfferedActions();
  const dates = useDates();
  const query = searched === '' ? null : { query: { q: searched, limit: found } };
  const machines = useApi(listMachines, query);
  const roasts = useApi(listRoasts, query);
  const go = (to: string) => () => void navigate(to);

  const groups: PaletteGroup[] = [
    {
      title: 'This page',
      items: actions
        .filter(({ label }) => matches(label, typed))
        .map(({ id, label, icon, key, run }) => ({
          id: `action-${id}`,
          label,
          icon: icon ?? createElement(CornerDownLeft),
          keys: key === undefined ? [] : [key],
          run,
        })),
    },
    {
      title: 'Go to',
      items: destinationsFor(isAdmin)
        .filter(({ label }) => matches(label, typed))
        .map(({ to, label, icon, key }) => ({
          id: to,
          label,
          icon: createElement(icon),
          keys: ['g', key],
          run: go(to),
        })),
    },
    {
      title: 'Machines',
      items: (machines.data ?? []).map((machine) => ({
        id: machine.id,
        label: machine.display_name,
        hint: machine.serial_number,
        icon: createElement(Factory),
        run: go(
          machine.current_roast_id === null
            ? `${paths.machines}?q=${encodeURIComponent(machine.serial_number)}`
            : paths.roast(machine.current_roast_id),
        ),
      })),
    },
    {
      title: 'Roasts',
      items: (roasts.data?.roasts ?? []).map((roast) => ({
        id: roast.id,
        label: roast.coffee_name ?? roast.roast_number,
        hint: roast.roast_number,
        moreHint: dates.day(roast.start_time),
        icon: createElement(Coffee),
        run: go(paths.roast(roast.id)),
      })),
    },
  ];
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    isSearching: machines.isLoading || roasts.isLoading,
  };
};
