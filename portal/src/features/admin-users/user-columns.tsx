import type { User } from '@roastery/contract/auth';
import type { DateTexts } from '../../format/dates.ts';
import { personName } from '../../components/person-name.ts';
import type { Column } from '../../components/table/columns.ts';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';

export const userColumns = (dates: DateTexts, ownId: string): readonly Column<User>[] => [
  {
    id: 'full_name',
    label: t`Name`,
    sort: 'full_name',
    isName: true,
    cell: (user) => (
      <span className="flex min-w-0 items-center gap-2">
        <span className="min-w-0">{personName(user)}</span>
        {user.id === ownId && <Badge>{t`You`}</Badge>}
      </span>
    ),
    share: 26,
  },
  {
    id: 'email',
    label: t`Email`,
    sort: 'email',
    cell: (user) => <span className="wrap-anywhere">{user.email}</span>,
    share: 34,
  },
  {
    id: 'status',
    label: t`Status`,
    cell: (user) => (
      <Badge tone={user.is_active ? 'success' : 'neutral'}>{user.is_active ? t`Active` : t`Inactive`}</Badge>
    ),
  },
  {
    id: 'role',
    label: t`Role`,
    cell: (user) => <Badge tone={user.is_admin ? 'accent' : 'neutral'}>{user.is_admin ? t`Admin` : t`User`}</Badge>,
  },
  {
    id: 'created_at',
    label: t`Created date`,
    sort: 'created_at',
    cell: (user) => <time dateTime={user.created_at}>{dates.day(user.created_at)}</time>,
  },
];
