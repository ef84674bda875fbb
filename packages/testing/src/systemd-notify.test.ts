import { createLogger } from '@roastery/runtime/logger';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from './virtual-clock.ts';
import { canPlaySystemd, openNotifySocket } from './notify-socket.ts';
import { createServiceNotifier } from '@roastery/runtime/systemd';

const log = createLogger('test', 'silent');
const why = 'skipped without python3 and systemd-notify';

describe('systemd', () => {
  it.skipIf(!canPlaySystemd)(`receives READY, and WATCHDOG only while there is progress (${why})`, async () => {
    await using socket = await openNotifySocket();
    const env = { ...process.env, NOTIFY_SOCKET: socket.path, WATCHDOG_USEC: '200000' };
    let progress = true;
    const clock = createVirtualClock();
    const service = createServiceNotifier(env, log, clock);
    service.ready();
    const stop = service.feedWatchdog(() => progress);
    const fed = () => socket.messages.filter((message) => message.includes('WATCHDOG=1')).length;
    await expect.poll(() => socket.messages.join()).toContain('READY=1');
    clock.pass(300);
    await expect.poll(fed).toBe(3);
    progress = false;
    clock.pass(10_000);
    progress = true;
    clock.pass(100);
    stop();
    service.stopping();
    await expect.poll(() => socket.messages.join()).toContain('STOPPING=1');
    await expect.poll(fed).toBe(4);
  });

  it('is not used outside a service', () => {
    const asked: string[] = [];
    const service = createServiceNotifier({ WATCHDOG_USEC: '1000' }, log);
    service.feedWatchdog(() => asked.push('progress?') > 0)();
    expect(asked).toEqual([]);
  });
});
