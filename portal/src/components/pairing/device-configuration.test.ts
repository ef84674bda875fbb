import { describe, expect, it } from 'vitest';
import { environmentFile, pairingTicket, supportMail } from './device-configuration.ts';

const machine = {
  serial_number: 'PRB-P25-0042',
  display_name: 'Big Probat',
  machine_type: 'RM30',
  max_capacity_kg: 30,
  api_url: 'https://roastery.example/api/v1',
  auth_token: 'mt_6fJ2pQ8xV1nRk4s',
  pairing_code: 'KQMZ-XWPH-RTDB',
  pairing_expires_at: '2026-11-28T07:46:00.000Z',
  support_email: 'support@roastery.example',
};

describe('device configuration', () => {
  it('contains the board’s settings: address, serial, token, firmware version [P31]', () => {
    const lines = environmentFile(machine).split('\n');
    expect(lines).toContain('API_URL=https://roastery.example/api/v1');
    expect(lines).toContain('MACHINE_SERIAL=PRB-P25-0042');
    expect(lines).toContain('MACHINE_TOKEN=mt_6fJ2pQ8xV1nRk4s');
    expect(lines).toContain('FIRMWARE_VERSION=1.0.0');
  });

  it('quotes a serial number that an environment file would otherwise misread', () => {
    const lines = environmentFile({ ...machine, serial_number: 'No. 7 "north" $HOME #2' }).split('\n');
    expect(lines).toContain(String.raw`MACHINE_SERIAL="No. 7 \"north\" \$HOME #2"`);
  });
});

describe('pairing ticket', () => {
  const ticket = pairingTicket(machine, 'Ana Restrepo <ana@roastery.example>', '11/28/2026 - 07:46 AM');

  it('contains its ID and the data for support, but never the token', () => {
    expect(ticket).toContain('PAIR-KQMZ-XWPH-RTDB');
    expect(ticket).toContain('PRB-P25-0042');
    expect(ticket).toContain('support@roastery.example');
    expect(ticket).not.toContain(machine.auth_token);
  });

  it('is requested by a mail with the ID in its subject', () => {
    expect(supportMail(machine)).toBe(
      'mailto:support%40roastery.example?subject=Pairing%20ticket%20PAIR-KQMZ-XWPH-RTDB',
    );
    expect(supportMail({ ...machine, support_email: null })).toBeUndefined();
  });
});
