import { LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react';
import { useSession, useUser } from '../api/session.tsx';
import { attempt } from '../components/attempt.ts';
import { paths } from '../components/paths.ts';
import { personName } from '../components/person-name.ts';
import { t } from '../language/t.ts';
import { Menu, MenuChoices, MenuItem, MenuLink, MenuSeparator } from '../ui/Menu.tsx';
import { chooseTheme, useThemeChoice, type ThemeChoice } from '../ui/theme.ts';
import { AccountButton, ZoneNote } from './AccountButton.tsx';
import { useLogout } from './Sidebar.tsx';

const themes = [
  { value: 'light', label: t`Light`, icon: <Sun aria-hidden /> },
  { value: 'dark', label: t`Dark`, icon: <Moon aria-hidden /> },
  { value: 'system', label: t`System`, icon: <Monitor aria-hidden /> },
] as const;

const degrees = [
  { value: 'C', label: t`Celsius, °C` },
  { value: 'F', label: t`Fahrenheit, °F` },
] as const;

/** The user, theme and units, and Logout. Rendered open: its code is loaded on first use. */
export const AccountMenu = () => {
  const user = useUser();
  const { changePreferences } = useSession();
  const logout = useLogout();
  const theme = useThemeChoice();

  const keep = (change: Parameters<typeof changePreferences>[0]) =>
    void attempt(() => changePreferences(change), t`The preference could not be saved`);
  const pickTheme = (value: ThemeChoice) => {
    chooseTheme(value);
    keep({ theme: value });
  };

  return (
    <Menu trigger={<AccountButton name={personName(user)} />} defaultOpen>
      <div className="px-2 pt-1.5 pb-1">
        <p className="max-w-56 truncate font-medium text-strong">{personName(user)}</p>
        <p className="max-w-56 truncate text-xs text-muted">{user.email}</p>
        <ZoneNote className="max-w-56 lg:hidden" />
      </div>
      <MenuSeparator />
      <MenuChoices label={t`Theme`} value={theme} choices={themes} onChange={pickTheme} />
      <MenuSeparator />
      <MenuChoices
        label={t`Temperature`}
        value={user.preferences.temperature_unit}
        choices={degrees}
        onChange={(temperature_unit) => keep({ temperature_unit })}
      />
      <MenuSeparator />
      <MenuLink to={paths.account} icon={<UserRound aria-hidden />}>
        {t`Account`}
      </MenuLink>
      <MenuItem icon={<LogOut aria-hidden />} onSelect={() => void logout()}>
        {t`Logout`}
      </MenuItem>
    </Menu>
  );
};
