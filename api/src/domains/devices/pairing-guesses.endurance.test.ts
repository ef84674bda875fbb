import { createHash } from 'node:crypto';
import type { RegisteredMachine } from '@roastery/contract/machines';
import { volume } from '@roastery/testing/endurance/volume';
import { expect, it } from 'vitest';
import { newPairingCode } from '../../identity/pairing-tickets.ts';
import { openTestApi } from '../../testing/test-api.ts';

const secret_hash = createHash('sha256').update('a secret').digest('hex');

const guesses = volume(10_000, 1500);

it(`pairing: of ${guesses} guesses none succeeds, they are blocked from the tenth, and the log is not flooded`, async () => {
  // Behind one proxy, so that boards of many addresses can be simulated.
  const opened = await openTestApi({ trustedProxies: 1 });
  const { test, admin } = opened;
  try {
    const form = { display_name: 'Big Drum', machine_type: 'RM30', max_capacity_kg: 30, serial_number: 'RM30-1' };
    const machine = (await admin.send<RegisteredMachine>('POST', '/machines', form)).body;
    const pair = (code: string, from: string) =>
      test
        .visitor()
        .send(
          'POST',
          '/devices/pair',
          { code, secret_hash, hardware_id: 'pi-1000', agent_version: '0.1.0' },
          { 'x-forwarded-for': from },
        );
    const statuses: number[] = [];
    const began = Date.now();
    for (let sent = 0; sent < guesses; sent += 50) {
      const burst = Array.from({ length: 50 }, () => pair(newPairingCode(), '203.0.113.7'));
      statuses.push(...(await Promise.all(burst)).map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 200)).toEqual([]);
    expect(statuses.slice(0, 10)).toContain(429);
    // Five a minute are accepted; a busy machine takes more than one minute for all of them.
    const minutes = Math.ceil((Date.now() - began) / 60_000);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(5 * minutes);
    const blocked = await pair(machine.pairing_code, '203.0.113.7');
    expect([blocked.status, Number(blocked.headers.get('retry-after')) > 0]).toEqual([429, true]);
    const [audited] = await test.api.context.sql<{ n: number }[]>`SELECT count(*) AS n FROM audit_log`;
    expect(audited?.n).toBeLessThan(30);
    // The other addresses continue, and the ticket was not used up.
    expect((await pair(machine.pairing_code, '10.0.4.1')).status).toBe(200);
  } finally {
    await opened.close();
  }
});
