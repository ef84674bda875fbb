import { getBoardUpdates, type BoardUpdates } from '@roastery/contract/board-updates';
import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { formatCount } from '../../format/numbers.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { orderUpdates, withdrawUpdates } from './device-changes.ts';
import { updatesText } from './device-texts.ts';

interface Question {
  title: string;
  text: string;
  label: string;
  confirm: () => Promise<unknown>;
}

const tenthOf = ({ boards, ready }: BoardUpdates): number => Math.min(ready, Math.max(1, Math.ceil(boards / 10)));

const orderQuestion = (version: string, which: 'tenth' | 'all', count: number): Question => ({
  title: t`Update boards`,
  text:
    count === 1
      ? t`1 board downloads version ${version} and installs it when no roast is running. It rolls back automatically if the new version fails.`
      : t`${formatCount(count)} boards download version ${version} and install it when no roast is running. Each rolls back automatically if the new version fails.`,
  label: t`Update`,
  confirm: () => orderUpdates(version, which),
});

/** How many boards run the version of this server, and the orders to update them. */
export const UpdatesBar = ({ refreshInterval }: { refreshInterval: number }) => {
  const { data } = useApi(getBoardUpdates, {}, { refreshInterval });
  const [asked, setAsked] = useState<Question | null>(null);
  if (data === undefined || data.version === null || data.boards === 0) return null;
  const { version, ready } = data;
  const tenth = tenthOf(data);
  return (
    <Card className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <p className="min-w-0 grow basis-64 text-base">
        <span className="block font-medium text-strong">{t`Version ${version} for boards`}</span>
        <span className="figures block text-sm text-muted" data-testid="updates">
          {updatesText(data)}
        </span>
      </p>
      <span className="flex flex-wrap gap-2">
        {data.under_way > 0 && (
          <Button
            onClick={() =>
              setAsked({
                title: t`Withdraw update requests`,
                text: t`Boards that have not started keep their version. A board that is already installing or trying the new one continues.`,
                label: t`Withdraw`,
                confirm: () => withdrawUpdates('all'),
              })
            }
          >
            {t`Withdraw update requests`}
          </Button>
        )}
        {ready > tenth && (
          <Button onClick={() => setAsked(orderQuestion(version, 'tenth', tenth))}>{t`Update a tenth first`}</Button>
        )}
        {ready > 0 && (
          <Button kind="primary" onClick={() => setAsked(orderQuestion(version, 'all', ready))}>
            {t`Update all (${formatCount(ready)})`}
          </Button>
        )}
      </span>
      <ConfirmDialog
        thing={asked}
        onClose={() => setAsked(null)}
        title={({ title }) => title}
        question={({ text }) => text}
        confirmLabel={asked?.label ?? ''}
        danger={false}
        onConfirm={({ confirm }) => confirm()}
      />
    </Card>
  );
};
