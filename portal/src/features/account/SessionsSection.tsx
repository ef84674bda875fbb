import { endSession, listSessions, type Session } from '@roastery/contract/auth';
import { LogOut, Monitor, Smartphone } from 'lucide-react';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { useDeletion, type Deletion } from '../../components/use-deletion.tsx';
import { useDates } from '../../format/preferences.ts';
import { RelativeTime } from '../../components/figures.tsx';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card, Skeleton } from '../../ui/Card.tsx';
import { deviceName, isHandheld } from './device-name.ts';
import { Section } from './Section.tsx';

const ending: Deletion<Session> = {
  remove: ({ id }) => call(endSession, { params: { id } }),
  refresh: () => refresh(listSessions),
  title: ({ length }) => (length === 1 ? t`End session` : t`End ${length} sessions`),
  question: ([first, ...others]) =>
    others.length === 0
      ? t`${deviceName(first.user_agent)} is signed out. What was typed there and not saved is lost.`
      : t`All your other devices are signed out. What was typed there and not saved is lost.`,
  confirmLabel: t`End`,
  done: ({ length }) => ({ text: length === 1 ? t`The session has ended` : t`${length} sessions have ended` }),
  failed: (error) => ({ text: sentenceFor(error, t`Failed to end the session`) }),
};

/** The sessions of this person; each can be ended except the present one, which has Logout. */
export const SessionsSection = () => {
  const { data, error, mutate } = useApi(listSessions, {});
  const { ask, dialog } = useDeletion(ending);
  const others = (data?.sessions ?? []).filter((session) => !session.is_current);

  return (
    <Section title={t`Sessions`} text={t`Devices that are signed in to your account. End any you don’t recognize.`}>
      <div className="flex flex-col gap-3">
        <ErrorLine title={t`Your sessions could not be loaded`} error={error} onRetry={() => void mutate()} />
        <Card>
          <ul aria-label={t`Sessions`} className="divide-y divide-stroke">
            {data === undefined && error === undefined && (
              <li className="flex h-16 items-center px-4">
                <Skeleton className="h-4 w-56" />
              </li>
            )}
            {data?.sessions.map((session) => (
              <SessionRow key={session.id} session={session} onEnd={() => ask([session])} />
            ))}
          </ul>
        </Card>
        {others.length > 1 && (
          <Button icon={<LogOut aria-hidden />} className="self-start" onClick={() => ask(others)}>
            {t`End all other sessions (${others.length})`}
          </Button>
        )}
      </div>
      {dialog}
    </Section>
  );
};

const SessionRow = ({ session, onEnd }: { session: Session; onEnd: () => void }) => {
  const dates = useDates();
  const device = deviceName(session.user_agent);
  const Icon = isHandheld(session.user_agent) ? Smartphone : Monitor;
  return (
    <li className="flex min-h-16 items-center gap-3 px-4 py-2">
      <Icon aria-hidden className="size-5 shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="truncate font-medium text-strong">{device}</span>
          {session.is_current && <Badge tone="success">{t`This device`}</Badge>}
        </p>
        <p className="figures text-sm text-muted">
          {t`${session.address ?? t`Unknown address`} · signed in ${dates.dayAndTime(session.created_at)}`}
          {!session.is_current && <> · {t`last seen ${<RelativeTime moment={session.last_seen_at} />}`}</>}
        </p>
      </div>
      {!session.is_current && (
        <Button onClick={onEnd} aria-label={t`End session: ${device}`}>
          {t`End`}
        </Button>
      )}
    </li>
  );
};
