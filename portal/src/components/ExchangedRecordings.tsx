import {
  listChannelExchanges,
  stateChannelExchange,
  undoChannelExchange,
  type ChannelExchange,
  type ChannelExchanges,
} from '@roastery/contract/channel-exchanges';
import { getMachine } from '@roastery/contract/machines';
import { getTimeline } from '@roastery/contract/timeline';
import { ArrowLeftRight } from 'lucide-react';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { useApi } from '../api/use-api.ts';
import { formatCount } from '../format/numbers.ts';
import { useDates } from '../format/preferences.ts';
import { t } from '../language/t.ts';
import { Button } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';
import { toast } from '../ui/toast.ts';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { useAction } from './use-action.ts';

/** All that shows samples of the recordings. */
const shown = [listChannelExchanges, getTimeline, getMachine];
const pendingMs = 1000;
const idleMs = 30_000;

/**
 * The recordings of a machine in which bean and exhaust temperature are exchanged: what is proposed, what was confirmed, and its
 * progress. Nothing where there are none. For people who may manage the machine.
 */
export const ExchangedRecordings = ({ machineId }: { machineId: string }) => {
  const { data } = useApi(
    listChannelExchanges,
    { params: { id: machineId } },
    { refreshInterval: (answer) => ((answer?.pending ?? 0) > 0 ? pendingMs : idleMs) },
  );
  if (data === undefined || data.revisions.length === 0) return null;
  const of = (state: ChannelExchange['state']) => data.revisions.filter((revision) => revision.state === state);
  const [proposed, exchanged, right] = [of('proposed'), of('exchanged'), of('right')];
  return (
    <section aria-label={t`Exchanged channels`}>
      <Card className="flex flex-col divide-y divide-stroke">
        {proposed.length > 0 && <Proposal machineId={machineId} revisions={proposed} />}
        {exchanged.length > 0 && <Exchanged machineId={machineId} revisions={exchanged} answer={data} />}
        {right.length > 0 && <Right machineId={machineId} revisions={right} />}
      </Card>
    </section>
  );
};

const roastsIn = (revisions: readonly ChannelExchange[]): number =>
  revisions.reduce((sum, { roasts }) => sum + roasts, 0);

const roastsText = (count: number): string => (count === 1 ? t`1 roast` : t`${formatCount(count)} roasts`);

/** `revision 1 of Ambex YM`, or several. */
const revisionsText = (revisions: readonly ChannelExchange[]): string =>
  revisions.map(({ maker, model, map_rev: rev }) => t`revision ${rev} of ${`${maker} ${model}`.trim()}`).join(', ');

const usePeriod = () => {
  const dates = useDates();
  return (revisions: readonly ChannelExchange[]): string | undefined => {
    const first = revisions.flatMap(({ first_at: at }) => at ?? []).sort()[0];
    const last = revisions
      .flatMap(({ last_at: at }) => at ?? [])
      .sort()
      .at(-1);
    if (first === undefined || last === undefined) return undefined;
    const [from, to] = [dates.day(first), dates.day(last)];
    return from === to ? from : `${from} – ${to}`;
  };
};

/** Changes what is said about the recordings, and reads everything that shows their samples again. */
const useChange = (machineId: string) => {
  const { run, isBusy } = useAction({ after: shown });
  const change = (what: () => Promise<ChannelExchanges>, done: string): Promise<void> =>
    run(
      async () => {
        await what();
        toast(done);
      },
      t`The recordings could not be changed`,
    );
  const params = { id: machineId };
  return {
    isBusy,
    state: (state: 'exchanged' | 'right', revisions: readonly ChannelExchange[], done: string) =>
      change(
        () =>
          call(stateChannelExchange, {
            params,
            body: { state, revisions: revisions.map(({ map_id, map_rev }) => ({ map_id, map_rev })) },
          }),
        done,
      ),
    undo: (state: 'exchanged' | 'right', done: string) =>
      change(() => call(undoChannelExchange, { params, query: { state } }), done),
  };
};

interface PartProps {
  machineId: string;
  revisions: readonly ChannelExchange[];
}

const part = 'flex flex-wrap items-center justify-between gap-x-6 gap-y-3 px-4 py-3';

const Proposal = ({ machineId, revisions }: PartProps) => {
  const { isBusy, state } = useChange(machineId);
  const period = usePeriod()(revisions);
  const roasts = roastsText(roastsIn(revisions));
  return (
    <div className={part}>
      <div className="flex min-w-0 flex-1 basis-80 gap-3">
        <ArrowLeftRight aria-hidden className="mt-0.5 size-5 shrink-0 text-warning" />
        <div className="min-w-0">
          <h2 className="text-base font-semibold text-strong">{t`Recordings with bean and exhaust exchanged`}</h2>
          <p className="text-sm text-content">
            {period === undefined
              ? t`${roasts}, recorded with ${revisionsText(revisions)}.`
              : t`${roasts}, ${period}, recorded with ${revisionsText(revisions)}.`}
          </p>
          <p className="mt-1 max-w-prose text-sm text-pretty text-muted">
            {t`That map had the two probes exchanged. The exchange corrects curves and figures and detects marks again. Marks set by hand stay. You can undo it.`}
          </p>
        </div>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          busy={isBusy}
          onClick={() => void state('right', revisions, t`The recordings stay as they are`)}
        >{t`They are right`}</Button>
        <Button
          kind="primary"
          busy={isBusy}
          onClick={() => void state('exchanged', revisions, t`Bean and exhaust are exchanged`)}
        >
          {t`Exchange in ${roasts}`}
        </Button>
      </div>
    </div>
  );
};

const Exchanged = ({ machineId, revisions, answer }: PartProps & { answer: ChannelExchanges }) => {
  const { isBusy, undo } = useChange(machineId);
  const [asking, setAsking] = useState<true | null>(null);
  const count = roastsIn(revisions);
  const { pending, without_new_marks: without } = answer;
  const done = Math.max(0, count - pending);
  const progress = t`Marks of ${formatCount(done)} of ${formatCount(count)} roasts detected again`;
  return (
    <div className={part}>
      <div className="min-w-0 flex-1 basis-80">
        <p className="text-base font-medium text-strong">
          {t`Bean and exhaust exchanged in ${roastsText(count)} recorded with ${revisionsText(revisions)}`}
        </p>
        <Statement revisions={revisions} />
        {pending === 0 && without > 0 && (
          <p className="mt-1 max-w-prose text-sm text-pretty text-muted">
            {without === 1
              ? t`In 1 roast no charge was detected: it keeps the marks of its board.`
              : t`In ${formatCount(without)} roasts no charge was detected: they keep the marks of their board.`}
          </p>
        )}
        {pending > 0 && (
          <div className="mt-2 flex flex-col gap-1">
            <p aria-live="polite" className="figures text-sm text-content">
              {progress}
            </p>
            <progress
              aria-label={progress}
              value={done}
              max={Math.max(count, 1)}
              className="h-1.5 w-full accent-accent"
            />
          </div>
        )}
      </div>
      <Button busy={isBusy} onClick={() => setAsking(true)}>{t`Undo`}</Button>
      <ConfirmDialog
        thing={asking}
        onClose={() => setAsking(null)}
        title={() => t`Undo the exchange`}
        question={() => t`Curves, marks and figures of ${roastsText(count)} will be as they were recorded.`}
        confirmLabel={t`Undo the exchange`}
        onConfirm={() => undo('exchanged', t`The recordings are as they were`)}
        danger={false}
      />
    </div>
  );
};

/** When the newest of these statements was made, and by whom. */
const Statement = ({ revisions }: { revisions: readonly ChannelExchange[] }) => {
  const dates = useDates();
  const newest = revisions.toSorted((a, b) => ((a.stated_at ?? '') < (b.stated_at ?? '') ? 1 : -1))[0];
  if (newest === undefined || newest.stated_at === null) return null;
  const moment = dates.dayAndTime(newest.stated_at);
  return (
    <p className="text-sm text-muted">
      {newest.stated_by_name === null ? moment : t`${moment} by ${newest.stated_by_name}`}
    </p>
  );
};

const Right = ({ machineId, revisions }: PartProps) => {
  const { isBusy, undo } = useChange(machineId);
  return (
    <div className={part}>
      <div className="min-w-0 flex-1 basis-80">
        <p className="text-sm text-content">
          {t`Bean and exhaust are right in ${roastsText(roastsIn(revisions))} recorded with ${revisionsText(revisions)}`}
        </p>
        <Statement revisions={revisions} />
      </div>
      <Button
        kind="quiet"
        busy={isBusy}
        onClick={() => void undo('right', t`The recordings are proposed again`)}
      >{t`Undo`}</Button>
    </div>
  );
};
