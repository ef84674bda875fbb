import { getMailStatus, sendTestMail, type MailStatus } from '@roastery/contract/alerts';
import { Mail } from 'lucide-react';
import { call } from '../../api/call.ts';
import { useApi } from '../../api/use-api.ts';
import { Unread } from '../../components/ErrorState.tsx';
import { useAction } from '../../components/use-action.ts';
import { FormError } from '../../components/form/FormError.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { toast } from '../../ui/toast.ts';

const shown = [getMailStatus];

/** Recipients and state of alert mails, with a test. */
export const MailCard = () => {
  const { data, error, mutate } = useApi(getMailStatus, {}, { refreshInterval: 15_000 });
  return (
    <Card className="mt-4 max-w-3xl">
      <div className="flex flex-col gap-3 p-5">
        <h2 className="text-base font-semibold text-strong">{t`Email alerts`}</h2>
        {data !== undefined ? (
          <MailState status={data} />
        ) : (
          <Unread
            skeleton="h-16 w-full"
            isLine
            title={t`The email status could not be loaded`}
            error={error}
            onRetry={() => void mutate()}
          />
        )}
      </div>
    </Card>
  );
};

const MailState = ({ status }: { status: MailStatus }) => {
  const { run, isBusy, failure } = useAction({ beside: true, after: shown });
  const send = () =>
    run(async () => toast((await call(sendTestMail, {})).message), t`The test email could not be sent`);
  if (!status.is_configured) {
    return (
      <p className="text-sm text-content">
        {t`Email is off: no mail server is configured. Set ${<code>SMTP_URL</code>} and ${<code>MAIL_FROM</code>} for the api and restart it. Alerts are still shown in the portal.`}
      </p>
    );
  }
  const { problem } = status;
  return (
    <>
      <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[max-content_1fr]">
        <dt className="text-muted">{t`From`}</dt>
        <dd className="wrap-anywhere text-strong">{status.from}</dd>
        <dt className="text-muted">{t`To`}</dt>
        <dd className="wrap-anywhere text-strong">{status.recipients.join(', ')}</dd>
        <dt className="text-muted">{t`Last email sent`}</dt>
        <dd className="text-strong">
          {status.last_sent_at === null ? t`None in the last 30 days` : <RelativeTime moment={status.last_sent_at} />}
        </dd>
      </dl>
      {problem !== null && (
        <output className="block rounded-md border border-warning/40 bg-warning-soft p-3 text-sm text-strong">
          {problem.gave_up
            ? t`“${problem.subject}” could not be sent: ${problem.error}`
            : t`“${problem.subject}” has not been sent yet and will be retried: ${problem.error}`}
        </output>
      )}
      <FormError text={failure} />
      <Button className="self-start" icon={<Mail aria-hidden />} busy={isBusy} onClick={() => void send()}>
        {isBusy ? t`Sending…` : t`Send me a test email`}
      </Button>
    </>
  );
};
