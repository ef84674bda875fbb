import type { User } from '@roastery/contract/auth';
import { listUsers } from '@roastery/contract/users';
import { Plus, Search, Users } from 'lucide-react';
import { useMemo, useState } from 'react';
import { logError } from '../../api/error-log.ts';
import { useSession, useUser } from '../../api/session.tsx';
import { useApi } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { usePageActions } from '../../components/page-actions.tsx';
import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { paths } from '../../components/paths.ts';
import { personName } from '../../components/person-name.ts';
import { formatCounted } from '../../format/numbers.ts';
import { useDates } from '../../format/preferences.ts';
import { DataTable } from '../../components/table/DataTable.tsx';
import { oneOf, useUrlState } from '../../components/url-state.ts';
import { useTyped } from '../../components/use-typed.ts';
import { Button } from '../../ui/Button.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { CreateUserDialog } from './CreateUserDialog.tsx';
import { CredentialsDialog, type Credentials } from './CredentialsDialog.tsx';
import { RenameUserDialog } from './RenameUserDialog.tsx';
import { changeUser, changeWords, type UserChangeKind } from './user-changes.ts';
import { userColumns } from './user-columns.tsx';
import { UserMenu } from './UserMenu.tsx';

const sorts = ['created_at', '-created_at', 'full_name', '-full_name', 'email', '-email'] as const;
const oldestFirst = 'created_at';
const statuses = [
  { value: 'all', label: 'All statuses' },
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive' },
] as const;
const pageSize = 50;

/** /admin/users: who may sign in, and as what. */
export default function UsersPage() {
  const own = useUser();
  const { recheck } = useSession();
  const dates = useDates();
  const { read, change } = useUrlState();
  const q = read('q') ?? '';
  const sort = oneOf(sorts, read('sort'), oldestFirst);
  const status = oneOf(['all', 'active', 'inactive'] as const, read('status'), 'all');
  const page = Math.max(1, Math.floor(Number(read('page') ?? 1)) || 1);
  const [typed, setTyped] = useTyped(q, (text) => change({ q: text.trim() }));
  const [isCreating, setIsCreating] = useState(false);
  const [credentials, setCredentials] = useState<Credentials | null>(null);
  const [renamed, setRenamed] = useState<User | null>(null);
  const [asked, setAsked] = useState<User | null>(null);
  const [kind, setKind] = useState<UserChangeKind>('deactivate');

  const { data, error, isValidating, mutate } = useApi(
    listUsers,
    {
      query: {
        limit: pageSize,
        offset: (page - 1) * pageSize,
        sort,
        ...(q === '' ? {} : { q }),
        ...(status === 'all' ? {} : { status }),
      },
    },
    { keepPreviousData: true },
  );
  const columns = useMemo(() => userColumns(dates, own.id), [dates, own.id]);
  const isFiltered = q !== '' || status !== 'all';

  usePageActions(
    useMemo(
      () => [{ id: 'create-user', label: 'Create user', icon: <Plus />, key: 'n', run: () => setIsCreating(true) }],
      [],
    ),
  );

  const confirm = async (user: User) => {
    const made = await changeUser(user, kind);
    if (made !== undefined) setCredentials(made);
    // Whoever gave up their own rights may not see this page any longer.
    if (user.id === own.id && kind === 'demote') {
      recheck().catch((error: unknown) => logError('The own rights could not be read again', error));
    }
  };

  return (
    <Page>
      <PageHeader
        title="Users"
        crumbs={[{ label: 'Home', to: paths.dashboard }, { label: 'Admin' }, { label: 'Users' }]}
        subtitle={
          <span className="figures">
            {data === undefined
              ? 'Who may sign in'
              : `${formatCounted(data.total, 'user')}${isFiltered ? ' found' : ' in total'}`}
          </span>
        }
        actions={
          <Button kind="primary" icon={<Plus aria-hidden />} onClick={() => setIsCreating(true)}>
            Create User
          </Button>
        }
      />
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-3">
          <TextField
            label="Search users"
            hideLabel
            type="search"
            size="sm"
            placeholder="Name or email"
            icon={<Search />}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            className="w-full sm:w-80"
          />
          <Select
            label="Status"
            hideLabel
            size="sm"
            className="w-40 max-sm:w-full"
            choices={statuses}
            value={status}
            onChange={(value) => change({ status: value === 'all' ? undefined : value })}
          />
        </div>
        <DataTable
          label="Users"
          columns={columns}
          rows={data?.users}
          rowId={(user) => user.id}
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
          sort={sort}
          onSort={(next) => change({ sort: next === oldestFirst ? undefined : next })}
          error={error}
          onRetry={() => void mutate()}
          isRefreshing={isValidating && data !== undefined}
          empty={
            <EmptyState
              icon={<Users aria-hidden />}
              title="No users found"
              action={
                isFiltered ? (
                  <Button onClick={() => change({ q: undefined, status: undefined })}>Reset filters</Button>
                ) : undefined
              }
            />
          }
          paging={{
            page,
            pageSize,
            total: data?.total,
            onPage: (next) => change({ page: next === 1 ? undefined : String(next) }),
          }}
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
        title={() => changeWords[kind].title}
        question={(user) => changeWords[kind].question(personName(user))}
        confirmLabel={changeWords[kind].label}
        danger={changeWords[kind].danger}
        onConfirm={confirm}
      />
    </Page>
  );
}
