import type { AppContext } from '../context.ts';
import { isConnectionLost, loggable } from '../db/postgres-errors.ts';
import { forgetPushTarget, readPushKeys, readPushTargets, takeAlarmsToPush } from '../domains/alarms/push.ts';
import { alarmsChangedChannel, type NewAlarm } from '../domains/alarms/stored-alarms.ts';
import { sendPush, type PushTarget } from '../mail/web-push.ts';

/** Alarms whose notification was missed are found at this interval. */
const everyMs = 5000;
const tries = 2;

/** `bean_temp` as `Bean Temp`. */
const inTitleCase = (channel: string): string =>
  channel.replaceAll(
    /(?:^|_)([a-z])/g,
    (part, letter: string) => (part.startsWith('_') ? ' ' : '') + letter.toUpperCase(),
  );

/** The text of an alarm, as in the portal. */
const textOf = ({ kind, channel, message }: Pick<NewAlarm, 'kind' | 'channel' | 'message'>): string => {
  if (kind === 'frozen') return `${inTitleCase(channel ?? 'a_channel')} is frozen. Check the probe.`;
  return kind === 'silent' ? 'No readings arrive. Check the board.' : (message ?? 'Alarm');
};

/** Sends alarms to phones in the background: a slow push service delays no roast. */
export const pusher = async ({ sql, log: parent, config }: AppContext): Promise<{ close(): Promise<void> }> => {
  const log = parent.child({ part: 'push' });
  const keys = await readPushKeys(sql);
  const subject = config.publicUrl.startsWith('https:')
    ? config.publicUrl
    : `mailto:${config.adminEmail ?? 'admin@localhost'}`;

  const sendTo = async (target: PushTarget & { id: string }, message: object): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        if ((await sendPush(target, message, keys, subject)) === 'gone') await forgetPushTarget(sql, target.id);
        return;
      } catch (error) {
        if (attempt < tries) continue;
        // Never the address: it is enough to send to the browser.
        log.warn({ reason: error instanceof Error ? error.message : 'unknown', target: target.id }, 'push failed');
        return;
      }
    }
  };

  const sendDue = async (): Promise<void> => {
    for (const alarm of await takeAlarmsToPush(sql)) {
      const message = {
        title: alarm.machine_name,
        body: [textOf(alarm), alarm.said_number, alarm.coffee_name].filter((part) => part !== null).join(' · '),
        tag: alarm.id,
        url: `/machines/${alarm.machine_id}/live`,
      };
      const targets = await readPushTargets(sql, alarm.machine_id);
      await Promise.all(targets.map((target) => sendTo(target, message)));
    }
  };

  let isAsked = false;
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    while (isAsked) {
      isAsked = false;
      try {
        await sendDue();
      } catch (error) {
        if (!isConnectionLost(error)) log.warn(loggable(error), 'push queue read failed');
      }
    }
    running = undefined;
  };
  const ask = (): void => {
    isAsked = true;
    running ??= run();
  };
  const listener = await sql.listen(alarmsChangedChannel, ask);
  const timer = setInterval(ask, everyMs);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await listener.unlisten();
      await running;
    },
  };
};
