import { createLogger } from '@roastery/runtime/logger';
import { describe, expect, it } from 'vitest';
import { canPlaySystemd, openNotifySocket } from './notify-socket.ts';
import { createServiceNotifier } from '@roastery/runtime/systemd';

const log = createLogger('test', 'silent');
const why = 'skipped without python3 and systemd-notify';

describe('systemd', () => {
  it.skipIf(!canPlaySystemd)(
    `receives READY, and WATCHDOG only while there is progress (${why})`,
    async () => {
      await using socket = await openNotifySocket();
      const env = { ...process.env, NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '200000' };
      let progress = true;
      const service = createServiceNotifier(env, log);
      service.ready();
      const stop = service.feedWatchdog(() => progress);
      const fed = () => socket.messages.filter((message) => message.includes('WATCHDOG=1')).length;
      await expect.poll(() => socket.messages.join()).toContain('READY=1');
      await expect.poll(fed).toBeGreaterThanOrEqual(3);
      progress = false;
      // Messages in transit arrive, late on a busy computer; then many periods pass without a message.
      let before = -1;
      const silence = async (): Promise<boolean> => {
        before = fed();
        await new Promise((resolve) => setTimeout(resolve, 1000));
        return fed() === before;
      };
      await expect.poll(silence).toBe(true);
      progress = true;
      await expect.poll(fed).toBeGreaterThan(before);
      stop();
    },
    30_000,
  );

  it('is not used outside a service', () => {
    const asked: string[] = [];
    const service = createServiceNotifier({ WATCHDOG_USEC: '1000' }, log);
    service.feedWatchdog(() => asked.push('progress?') > 0)();
    expect(asked).toEqual([]);
  });
});
