import { listBlends } from '@roastery/contract/blends';
import { listDevices } from '@roastery/contract/fleet';
import { listLots } from '@roastery/contract/inventory';
import { listMachines } from '@roastery/contract/machines';
import { listProfiles } from '@roastery/contract/profiles';
import { listRoasts } from '@roastery/contract/roasts';
import { listUsers } from '@roastery/contract/users';
import { Blend, BookOpenText, CircuitBoard, Coffee, Factory, Package, UserRound } from 'lucide-react';
import { type ReactNode, createElement } from 'react';
import { useNavigate } from 'react-router-dom';
import { useSession } from '../api/session.tsx';
import { useApi } from '../api/use-api.ts';
import { roastName } from '../components/live/roast-texts.ts';
import { paths } from '../components/paths.ts';
import { personName } from '../components/person-name.ts';
import { useDates } from '../format/preferences.ts';
import { t } from '../language/t.ts';

export interface PaletteItem {
  id: string;
  label: string;
  hint?: string;
  /** Beside the hint if there is room. */
  moreHint?: string;
  icon: ReactNode;
  keys?: readonly string[];
  run: () => void;
}

export interface PaletteGroup {
  title: string;
  items: readonly PaletteItem[];
}

export const maxOfAKind = 5;
/** The previous results stay until the next answer arrives. */
const options = { keepPreviousData: true };

const withText = (path: string, text: string): string => `${path}?q=${encodeURIComponent(text)}`;

/** Records that the server finds for a text; users and boards for admins only. */
export const useFoundRecords = (searched: string): { groups: readonly PaletteGroup[]; isSearching: boolean } => {
  const navigate = useNavigate();
  const { isAdmin } = useSession();
  const dates = useDates();
  const query = searched === '' ? null : { query: { q: searched, limit: maxOfAKind } };
  const forAdmin = isAdmin ? query : null;
  const roasts = useApi(
    listRoasts,
    searched === '' ? null : { query: { q: searched, limit: maxOfAKind, sort: 'best_match' } },
    options,
  );
  const machines = useApi(listMachines, query, options);
  const lots = useApi(listLots, query, options);
  const recipes = useApi(listProfiles, query, options);
  const blends = useApi(listBlends, query, options);
  const users = useApi(listUsers, forAdmin, options);
  const devices = useApi(listDevices, forAdmin, options);
  if (query === null) return { groups: [], isSearching: false };

  const go = (to: string) => () => void navigate(to);
  const groups: PaletteGroup[] = [
    {
      title: t`Roasts`,
      items: (roasts.data?.roasts ?? []).map((roast) => ({
        id: roast.id,
        label: roastName(roast),
        hint: dates.day(roast.start_time),
        icon: createElement(Coffee),
        run: go(paths.roast(roast.id)),
      })),
    },
    {
      title: t`Machines`,
      items: (machines.data ?? []).map((machine) => ({
        id: machine.id,
        label: machine.display_name,
        hint: machine.serial_number,
        icon: createElement(Factory),
        run: go(
          machine.current_roast_id === null
            ? withText(paths.machines, machine.serial_number)
            : paths.roast(machine.current_roast_id),
        ),
      })),
    },
    {
      title: t`Lots`,
      items: (lots.data?.lots ?? []).map((lot) => ({
        id: lot.id,
        label: lot.coffee_name,
        hint: lot.lot_number,
        moreHint: lot.origin,
        icon: createElement(Package),
        run: go(paths.editLot(lot.id)),
      })),
    },
    {
      title: t`Recipes`,
      items: (recipes.data?.profiles ?? []).map((recipe) => ({
        id: recipe.id,
        label: recipe.name,
        ...(recipe.coffee_origin === null ? {} : { hint: recipe.coffee_origin }),
        icon: createElement(BookOpenText),
        run: go(paths.recipe(recipe.id)),
      })),
    },
    {
      title: t`Post-roast blends`,
      items: (blends.data?.blends ?? []).map((blend) => ({
        id: blend.id,
        label: blend.name,
        icon: createElement(Blend),
        run: go(paths.blend(blend.id)),
      })),
    },
    {
      title: t`Users`,
      items: (users.data?.users ?? []).map((user) => ({
        id: user.id,
        label: personName(user),
        hint: user.email,
        icon: createElement(UserRound),
        run: go(withText(paths.users, user.email)),
      })),
    },
    {
      title: t`Devices`,
      items: (devices.data?.devices ?? []).map((device) => ({
        id: `board-${device.machine_id}`,
        label: t`Board of ${device.display_name}`,
        hint: device.serial_number,
        icon: createElement(CircuitBoard),
        run: go(withText(paths.devices, device.serial_number)),
      })),
    },
  ];
  const reads = [roasts, machines, lots, recipes, blends, users, devices];
  return { groups, isSearching: reads.some(({ isLoading, isValidating }) => isLoading || isValidating) };
};
