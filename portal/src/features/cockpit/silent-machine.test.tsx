import { betweenBatches } from '@roastery/contract/between-batches';
import { getMachine } from '@roastery/contract/machines';
import { listRoasters } from '@roastery/contract/roasters';
import type { DeviceStatus } from '@roastery/contract/mqtt';
import { screen, within } from '@testing-library/dom';
import { expect, it } from 'vitest';
import { openPortal, textOf } from '../../testing/open-portal.tsx';
import { machine } from '../../testing/records.ts';
import { openStreams } from '../../testing/streams.ts';
import { answer } from '../../testing/table-server.ts';

const at = '2026-05-04T18:46:00.000Z';
const probat = machine({ connection: 'online', last_seen_at: at });
const says = (link: DeviceStatus['machine_link']) => {
  const status: DeviceStatus = { v: 1, online: true, session: 'one', t: Date.parse(at), machine_link: link };
  const ofMachine = { machine_id: probat.id, connection: 'online', last_seen_at: at, status };
  return ofMachine;
};

it('cockpit: reports a machine that stops answering its board, with its address, and the way to its settings', async () => {
  const streams = openStreams();
  let silentSince: string | null = null;
  await openPortal(`/machines/${probat.id}/live`, {
    answers: [
      answer(getMachine, () => ({ ...probat, silent_since: silentSince, address: '192.168.0.20:502' })),
      answer(listRoasters, { current: null, people: [] }),
      answer(betweenBatches, { next: null, newest_roast: null, not_weighed: { total: 0, newest: null } }),
    ],
  });
  await expect.poll(() => streams.open().length).toBeGreaterThan(0);
  const hello = { type: 'hello', server_time: at, ...says('ok') };
  streams.send('/live', 'open');
  streams.send('/live', 'hello', hello);
  streams.send('/live', 'backlog', {
    type: 'backlog',
    machine_id: probat.id,
    samples: [],
    roast: null,
    charge_mono: null,
  });
  const state = await screen.findByTestId('cockpit-status');
  await expect.poll(() => textOf(state)).toContain('Connecting');
  silentSince = at;
  streams.send('/live', 'status', { type: 'status', ...says('failing') });
  const bar = await screen.findByTestId('cockpit-silence');
  expect(textOf(bar)).toMatch(/^The machine does not answer: 192\.168\.0\.20:502, since 05\/04\/2026 - 06:46 PM/);
  await expect.poll(() => textOf(state)).toContain('No answer');
  expect(within(bar).getByRole('link', { name: 'Check settings' }).getAttribute('href')).toBe(
    `/machines?settings=${probat.id}`,
  );
  silentSince = null;
  streams.send('/live', 'status', { type: 'status', ...says('ok') });
  await expect.poll(() => screen.queryByTestId('cockpit-silence')).toBeNull();
});
