import { listMachines } from '@roastery/contract/machines';
import { CornerDownLeft, Gauge, History, LogOut, Moon, Plus, Sun, Thermometer, Ticket } from 'lucide-react';
import { createElement } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { useSession, useUser } from '../api/session.tsx';
import { useApi } from '../api/use-api.ts';
import { attempt } from '../components/attempt.ts';
import { useOfferedActions } from '../components/page-actions.tsx';
import { paths } from '../components/paths.ts';
import { t } from '../language/t.ts';
import { chooseTheme, useTheme } from '../ui/theme.ts';
import { destinationsFor } from './destinations.ts';
import type { PaletteGroup, PaletteItem } from './palette-records.ts';
import { maxOfAKind, useFoundRecords } from './palette-records.ts';
import { keyName } from './keyboard.ts';
import { recentPages } from '../api/recent-pages.ts';
import { useLogout } from './Sidebar.tsx';

const recentAtMost = 5;

/** True when every typed word is the beginning of a word in the label. */
export const matches = (label: string, typed: string): boolean => {
  const words = label.toLowerCase().split(/\s+/);
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.startsWith(part)));
};

/** Begun or whole: a code is typed into the tickets' own search only, which admins have. */
const ticketStart = /^pair-/i;
const wholeTicket = /^pair(?:-[a-z]{4}){3}$/i;

/** Forms for new records, found by what people call them too. */
const additions: readonly { to: string; label: string; also: string; keys?: readonly string[] }[] = [
  { to: paths.newRoast, label: t`Add roast`, also: t`new plan`, keys: ['g', 'n'] },
  { to: paths.logRoast, label: t`Log a roast by hand`, also: t`new add` },
  { to: paths.uploadRoasts, label: t`Upload roasts`, also: t`import files` },
  { to: paths.newLot, label: t`Add lot`, also: t`new green coffee` },
  { to: paths.importLots, label: t`Import lots`, also: t`upload green coffee` },
  { to: paths.newRecipe, label: t`Create recipe`, also: t`new add profile` },
  { to: paths.newBlend, label: t`Add blend`, also: t`new` },
  { to: paths.registerMachine, label: t`Register machine`, also: t`new add` },
];

/** Live views of the machines that the text names, those that roast first. */
const useLiveViews = (typed: string) => {
  const { data = [] } = useApi(listMachines, { query: { sort: 'name' } });
  if (typed === '') return [];
  return data
    .map(({ id, display_name: name, current_roast_id: roast }) => ({
      to: paths.cockpit(id),
      label: t`Live view of ${name}`,
      isRoasting: roast !== null,
    }))
    .filter(({ label }) => matches(label, typed))
    .toSorted((a, b) => Number(b.isRoasting) - Number(a.isRoasting))
    .slice(0, maxOfAKind);
};

/** Actions that are available on every page. */
const useCommands = (): PaletteItem[] => {
  const { changePreferences } = useSession();
  const { temperature_unit: unit } = useUser().preferences;
  const theme = useTheme();
  const logout = useLogout();
  const keep = (change: Parameters<typeof changePreferences>[0]) =>
    void attempt(() => changePreferences(change), t`The preference could not be saved`);
  const otherTheme = theme === 'dark' ? 'light' : 'dark';
  const otherUnit = unit === 'C' ? 'F' : 'C';
  return [
    {
      id: 'theme',
      label: t`Use the ${otherTheme} theme`,
      icon: createElement(theme === 'dark' ? Sun : Moon),
      run: () => {
        chooseTheme(otherTheme);
        keep({ theme: otherTheme });
      },
    },
    {
      id: 'unit',
      label: otherUnit === 'F' ? t`Show temperatures in Fahrenheit` : t`Show temperatures in Celsius`,
      hint: `°${otherUnit}`,
      icon: createElement(Thermometer),
      run: () => keep({ temperature_unit: otherUnit }),
    },
    { id: 'logout', label: t`Logout`, icon: createElement(LogOut), run: () => void logout() },
  ];
};

/**
 * The items for a typed text: actions of the page, recently opened records, forms and live views, destinations, then
 * the records that the server finds, and global actions.
 */
export const usePaletteGroups = (
  typed: string,
  searched: string,
): { groups: readonly PaletteGroup[]; isSearching: boolean } => {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const { isAdmin } = useSession();
  const { id: userId } = useUser();
  const actions = useOfferedActions();
  const commands = useCommands();
  const liveViews = useLiveViews(typed);
  const isTicket = ticketStart.test(typed);
  const found = useFoundRecords(typed === '' || isTicket || ticketStart.test(searched) ? '' : searched);
  const go = (to: string) => () => void navigate(to);
  const isWanted = ({ label }: { label: string }) => matches(label, typed);

  if (isTicket) {
    const ticket = {
      id: 'ticket',
      label: t`Search the pairing tickets for ${typed.toUpperCase()}`,
      icon: createElement(Ticket),
      run: go(paths.pairingTicket(typed)),
    };
    const items = isAdmin && wholeTicket.test(typed) ? [ticket] : [];
    return { groups: items.length === 0 ? [] : [{ title: t`Devices`, items }], isSearching: false };
  }

  const isOffered = (label: string) => actions.some((action) => action.label === label);
  const groups: PaletteGroup[] = [
    {
      title: t`This page`,
      items: actions.filter(isWanted).map(({ id, label, icon, key, run }) => ({
        id: `action-${id}`,
        label,
        icon: icon ?? createElement(CornerDownLeft),
        keys: key === undefined ? [] : [keyName(key)],
        run,
      })),
    },
    {
      title: t`Recent`,
      // The record search below includes recently opened records.
      items:
        typed === ''
          ? recentPages(userId)
              .filter(({ path }) => path !== pathname)
              .slice(0, recentAtMost)
              .map(({ path, title }) => ({
                id: `recent-${path}`,
                label: title,
                icon: createElement(History),
                run: go(path),
              }))
          : [],
    },
    {
      title: t`Actions`,
      items: [
        ...additions
          .filter(({ label, also }) => matches(`${label} ${also}`, typed) && !isOffered(label))
          .map(({ to, label, keys = [] }) => ({ id: to, label, icon: createElement(Plus), keys, run: go(to) })),
        ...liveViews.map(({ to, label, isRoasting }) => ({
          id: to,
          label,
          ...(isRoasting && { hint: t`roasting` }),
          icon: createElement(Gauge),
          run: go(to),
        })),
      ],
    },
    {
      title: t`Go to`,
      items: destinationsFor(isAdmin)
        .filter((place) => place.to !== paths.newRoast && isWanted(place))
        .map(({ to, label, icon, key }) => ({
          id: to,
          label,
          icon: createElement(icon),
          keys: ['g', key],
          run: go(to),
        })),
    },
    ...found.groups,
    { title: t`Everywhere`, items: commands.filter(isWanted) },
  ];
  return { groups: groups.filter(({ items }) => items.length > 0), isSearching: found.isSearching };
};
