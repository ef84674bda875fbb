import { CornerDownLeft, History, LogOut, Moon, Sun, Thermometer } from 'lucide-react';
import { createElement } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { sentenceFor } from '../api/api-error.ts';
import { useSession, useUser } from '../api/session.tsx';
import { useOfferedActions } from '../components/page-actions.tsx';
import { t } from '../language/t.ts';
import { chooseTheme, useTheme } from '../ui/theme.ts';
import { toast } from '../ui/toast.ts';
import { destinationsFor } from './destinations.ts';
import type { PaletteGroup, PaletteItem } from './palette-records.ts';
import { useFoundRecords } from './palette-records.ts';
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

/** Actions that are available on every page. */
const useCommands = (): PaletteItem[] => {
  const { changePreferences } = useSession();
  const { temperature_unit: unit } = useUser().preferences;
  const theme = useTheme();
  const logout = useLogout();
  const keep = (change: Parameters<typeof changePreferences>[0]) =>
    changePreferences(change).catch((error: unknown) =>
      toast(sentenceFor(error, t`The preference could not be saved`), { tone: 'danger' }),
    );
  const otherTheme = theme === 'dark' ? 'light' : 'dark';
  const otherUnit = unit === 'C' ? 'F' : 'C';
  return [
    {
      id: 'theme',
      label: t`Use the ${otherTheme} theme`,
      icon: createElement(theme === 'dark' ? Sun : Moon),
      run: () => {
        chooseTheme(otherTheme);
        void keep({ theme: otherTheme });
      },
    },
    {
      id: 'unit',
      label: otherUnit === 'F' ? t`Show temperatures in Fahrenheit` : t`Show temperatures in Celsius`,
      hint: `°${otherUnit}`,
      icon: createElement(Thermometer),
      run: () => void keep({ temperature_unit: otherUnit }),
    },
    { id: 'logout', label: t`Logout`, icon: createElement(LogOut), run: () => void logout() },
  ];
};

/**
 * The items for a typed text: actions of the page, recently opened records, destinations, then the records that the
 * server finds, and global actions.
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
  const found = useFoundRecords(typed === '' ? '' : searched);
  const go = (to: string) => () => void navigate(to);
  const isWanted = ({ label }: { label: string }) => matches(label, typed);

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
      title: t`Go to`,
      items: destinationsFor(isAdmin)
        .filter(isWanted)
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
