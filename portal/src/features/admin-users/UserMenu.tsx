import type { User } from '@roastery/contract/auth';
import { Ellipsis, KeyRound, PencilLine, ShieldMinus, ShieldPlus, UserCheck, UserX } from 'lucide-react';
import { paths } from '../../components/paths.ts';
import { personName } from '../../components/person-name.ts';
import { t } from '../../language/t.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu, MenuItem, MenuLink, MenuSeparator } from '../../ui/Menu.tsx';
import { type UserChangeKind } from './user-changes.ts';

interface UserMenuProps {
  user: User;
  /** The user's own password is changed instead of reset: a reset would end the session that shows the new one. */
  isOwn: boolean;
  onRename: () => void;
  onChange: (kind: UserChangeKind) => void;
}

/** Actions on a user. The server keeps the last active administrator. */
export const UserMenu = ({ user, isOwn, onRename, onChange }: UserMenuProps) => (
  <Menu trigger={<IconButton label={t`Actions for ${personName(user)}`} icon={<Ellipsis aria-hidden />} />}>
    <MenuItem icon={<PencilLine aria-hidden />} onSelect={onRename}>
      {t`Rename`}
    </MenuItem>
    {isOwn ? (
      <MenuLink to={paths.account} icon={<KeyRound aria-hidden />}>
        {t`Change password`}
      </MenuLink>
    ) : (
      <MenuItem icon={<KeyRound aria-hidden />} onSelect={() => onChange('reset')}>
        {t`Reset password`}
      </MenuItem>
    )}
    {user.is_admin ? (
      <MenuItem icon={<ShieldMinus aria-hidden />} onSelect={() => onChange('demote')}>
        {t`Make user`}
      </MenuItem>
    ) : (
      <MenuItem icon={<ShieldPlus aria-hidden />} onSelect={() => onChange('promote')}>
        {t`Make admin`}
      </MenuItem>
    )}
    <MenuSeparator />
    {user.is_active ? (
      <MenuItem icon={<UserX aria-hidden />} danger onSelect={() => onChange('deactivate')}>
        {t`Deactivate`}
      </MenuItem>
    ) : (
      <MenuItem icon={<UserCheck aria-hidden />} onSelect={() => onChange('activate')}>
        {t`Activate`}
      </MenuItem>
    )}
  </Menu>
);
