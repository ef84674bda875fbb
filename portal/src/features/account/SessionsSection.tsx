import { endSession, listSessions, type Session } from '@roastery/contract/auth';
import { LogOut, Monitor, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { sentenceFor } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { logError } from '../../api/error-log.ts';
import { refresh, useApi } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { ErrorLine } from '../../components/ErrorState.tsx';
import { useDates } from '../../format/preferences.ts';
import { RelativeTime } from '../../components/figures.tsx';
import { t } from '../../language/t.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card, Skeleton } from '../../ui/Card.tsx';
import { toast } from '../../ui/toast.ts';
import { deviceName, isHandheld } from './device-name.ts';
import { Section } from './Section.tsx';

/** The sessions of this person; each can be ended except the present one, which has Logout. */
export const SessionsSection = () => {
  const { data, error, mutate } = useApi(listSessions, {});
  const [ending, setEnding] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<readonly Session[] | null>(null);
  const others = (data?.sessions ?? []).filter((session) => !session.is_current);

  const end = async (sessions: readonly Session[]) => {
    setEnding(new Set(sessions.map(({ id }) => id)));
    const results = await Promise.allSettled(sessions.map(({ id }) => call(endSession, { params: { id } })));
    const failed = results.filter((result) => result.status === 'rejected');
    for (const { reason } of failed) logError('Failed to end a session', reason);
    await refresh(listSessions);
    setEnding(new Set());
    if (failed[0] !== undefined) toast(sentenceFor(failed[0].reason, t`Failed to end the session`), { tone: 'danger' });
    else toast(sessions.length === 1 ? t`The session has ended` : t`${sessions.length} sessions have ended`);
  };

  return (
    <Section title={t`Sessions`} text={t`Devices that are signed in to your account. End any you don’t recognize.`}>
      <div className="flex flex-col gap-3">
        {error !== undefined && (
          <ErrorLine title={t`Your sessions could not be loaded`} error={error} onRetry={() => void mutate()} />
        )}
        <Card>
          <ul aria-label={t`Sessions`} className="divide-y divide-stroke">
            {data === undefined && error === undefined && (
              <li className="flex h-16 items-center px-4">
                <Skeleton className="h-4 w-56" />
              </li>
            )}
            {data?.sessions.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                busy={ending.has(session.id)}
                onEnd={() => setAsked([session])}
              />
            ))}
          </ul>
        </Card>
        {others.length > 1 && (
          <Button
            icon={<LogOut aria-hidden />}
            className="self-start"
            busy={ending.size > 1}
            onClick={() => setAsked(others)}
          >
            {t`End all other sessions (${others.length})`}
          </Button>
        )}
      </div>
      <ConfirmDialog
        thing={asked}
        onClose={() => setAsked(null)}
        title={({ length }) => (length === 1 ? t`End session` : t`End ${length} sessions`)}
        question={(sessions) =>
          sessions.length === 1
            ? t`${deviceName(sessions[0]?.user_agent ?? null)} is signed out. What was typed there and not saved is lost.`
            : t`All your other devices are signed out. What was typed there and not saved is lost.`
        }
        confirmLabel={t`End`}
        onConfirm={end}
      />
    </Section>
  );
};

const SessionRow = ({ session, busy, onEnd }: { session: Session; busy: boolean; onEnd: () => void }) => {
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
        <Button busy={busy} onClick={onEnd} aria-label={t`End session: ${device}`}>
          {t`End`}
        </Button>
      )}
    </li>
  );
};
