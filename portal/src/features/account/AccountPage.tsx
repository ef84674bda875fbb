import { Page, PageHeader } from '../../components/PageHeader.tsx';
import { personName } from '../../components/person-name.ts';
import { useDates } from '../../format/preferences.ts';
import { useUser } from '../../api/session.tsx';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { PasswordSection } from './PasswordSection.tsx';
import { PinSection } from './PinSection.tsx';
import { PreferencesSection } from './PreferencesSection.tsx';
import { PushSection } from './PushSection.tsx';
import { SessionsSection } from './SessionsSection.tsx';

/** /account: the user's own password, sessions, units, theme and language of dates. */
export default function AccountPage() {
  const user = useUser();
  const dates = useDates();
  return (
    <Page>
      <PageHeader
        title={t`Account`}
        crumbs={[{ label: t`Account` }]}
        heading={personName(user)}
        badges={<Badge tone={user.is_admin ? 'accent' : 'neutral'}>{user.is_admin ? t`Administrator` : t`User`}</Badge>}
        subtitle={t`${user.email} · since ${dates.day(user.created_at)}`}
      />
      <div className="flex max-w-5xl flex-col divide-y divide-stroke border-t border-stroke">
        <PreferencesSection />
        <PasswordSection />
        <PinSection />
        <PushSection />
        <SessionsSection />
      </div>
    </Page>
  );
}
