import type { User } from '@roastery/contract/auth';
import { listUsers } from '@roastery/contract/users';
import { Plus, Users } from 'lucide-react';
import { useMemo, useState } from 'react';
import { logError } from '../../api/error-log.ts';
import { useSession, useUser } from '../../api/session.tsx';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { usePageActions } from '../../components/page-actions.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { personName } from '../../components/person-name.ts';
import { formatCount } from '../../format/numbers.ts';
import { useDates } from '../../format/preferences.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { ListSearch } from '../../components/table/ListControls.tsx';
import { useListPage } from '../../components/table/use-list-page.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/Select.tsx';
import { CreateUserDialog } from './CreateUserDialog.tsx';
import { CredentialsDialog, type Credentials } from './CredentialsDialog.tsx';
import { RenameUserDialog } from './RenameUserDialog.tsx';
import { changeUser, changeTexts, type UserChangeKind } from './user-changes.ts';
import { userColumns } from './user-columns.tsx';
import { UserMenu } from './UserMenu.tsx';

const sorts = ['created_at', '-created_at', 'full_name', '-full_name', 'email', '-email'] as const;
const statuses = [
  { value: 'all', label: t`All statuses` },
  { value: 'active', label: t`Active` },
  { value: 'inactive', label: t`Inactive` },
] as const;

const userCount = (count: number, isFiltered: boolean): string => {
  if (isFiltered) return count === 1 ? t`1 user found` : t`${formatCount(count)} users found`;
  return count === 1 ? t`1 user in total` : t`${formatCount(count)} users in total`;
};

/** /admin/users: accounts and their roles. */
export default function UsersPage() {
  const own = useUser();
  const { recheck } = useSession();
  const dates = useDates();
  const { read, change } = useUrlState();
  const status = oneOf(['all', 'active', 'inactive'] as const, read('status'), 'all');
  const [isCreating, setIsCreating] = useState(false);
  const [credentials, setCredentials] = useState<Credentials | null>(null);
  const [renamed, setRenamed] = useState<User | null>(null);
  const [asked, setAsked] = useState<User | null>(null);
  const [kind, setKind] = useState<UserChangeKind>('deactivate');

  const list = useListPage(listUsers, {
    input: (page) => ({ query: { ...page, ...(status === 'all' ? {} : { status }) } }),
    rows: ({ users }) => users,
    total: ({ total }) => total,
    rowId: ({ id }) => id,
    sorts,
    initialSort: 'created_at',
    pageSize: 50,
  });
  const columns = useMemo(() => userColumns(dates, own.id), [dates, own.id]);
  const isFiltered = list.search.q !== '' || status !== 'all';

  usePageActions(
    useMemo(
      () => [{ id: 'create-user', label: t`Create user`, icon: <Plus />, key: 'n', run: () => setIsCreating(true) }],
      [],
    ),
  );

  const confirm = async (user: User) => {
    await changeUser(user, kind, setCredentials);
    // A person without administrator rights must leave this page.
    if (user.id === own.id && kind === 'demote') {
      recheck().catch((error: unknown) => logError('Session could not be read after a change of role', error));
    }
  };

  return (
    <Page>
      <PageHeader
        title={t`Users`}
        crumbs={[{ label: t`Admin` }, { label: t`Users` }]}
        subtitle={
          <span className="figures">{list.total === undefined ? t`Accounts` : userCount(list.total, isFiltered)}</span>
        }
        actions={
          <Button kind="primary" icon={<Plus aria-hidden />} onClick={() => setIsCreating(true)}>
            {t`Create User`}
          </Button>
        }
      />
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-3">
          <ListSearch search={list.search} label={t`Search users`} placeholder={t`Name or email`} />
          <Select
            label={t`Status`}
            hideLabel
            size="sm"
            className="w-40 max-sm:w-full"
            choices={statuses}
            value={status}
            onChange={(value) => change({ status: value === 'all' ? undefined : value })}
          />
        </div>
        <DataTable
          {...list.table}
          label={t`Users`}
          columns={columns}
          rowLabel={personName}
          rowActions={(user) => (
            <UserMenu
              user={user}
              isOwn={user.id === own.id}
              onRename={() => setRenamed(user)}
              onChange={(wanted) => {
                setKind(wanted);
                setAsked(user);
              }}
            />
          )}
          empty={
            <EmptyState
              icon={<Users aria-hidden />}
              title={t`No users found`}
              action={
                isFiltered ? (
                  <Button onClick={() => change({ q: undefined, status: undefined })}>{t`Reset filters`}</Button>
                ) : undefined
              }
            />
          }
        />
      </div>
      <CreateUserDialog
        open={isCreating}
        onClose={() => setIsCreating(false)}
        onCreated={(made) => {
          setIsCreating(false);
          setCredentials(made);
        }}
      />
      <CredentialsDialog credentials={credentials} onDone={() => setCredentials(null)} />
      <RenameUserDialog user={renamed} onClose={() => setRenamed(null)} />
      <ConfirmDialog
        thing={asked}
        onClose={() => setAsked(null)}
        title={() => changeTexts[kind].title}
        question={(user) => changeTexts[kind].question(personName(user))}
        confirmLabel={changeTexts[kind].label}
        danger={changeTexts[kind].danger}
        onConfirm={confirm}
      />
    </Page>
  );
}
