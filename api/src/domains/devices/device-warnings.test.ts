import type { Device } from '@roastery/contract/fleet';
import { describe, expect, it } from 'vitest';
import { warningsOf } from './device-warnings.ts';

const wellDevice: Omit<Device, 'warnings'> = {
  machine_id: '0199aaaa-0000-7000-8000-000000000000',
  serial_number: 'RM30-1',
  display_name: 'Big Drum',
  machine_type: 'RM30',
  owner_name: 'Ana Restrepo',
  connection: 'online',
  last_seen_at: '2026-11-21T07:40:00.000Z',
  agent_version: '0.1.0',
  firmware_version: '1.0.0',
  map: { id: 'rm30', rev: 1 },
  source: null,
  config: { map: null, revision: 0, changed_at: null, state: 'none', reason: null },
  machine_link: 'ok',
  machine_link_detail: null,
  journal: { entries_waiting: 3, bytes: 4096, dropped_entries: 0, entries_in_memory: null },
  sealed_history: null,
  clock_synced: true,
  disk_free_bytes: 8e9,
  update: null,
  order: null,
  takes_orders: false,
  credential: { origin: 'pairing', since: '2026-11-20T07:40:00.000Z', previous_valid_until: null },
  credential_shared: false,
  ticket: null,
};

describe('warnings of a board', () => {
  it('device warnings: are empty for a healthy board', () => expect(warningsOf(wellDevice)).toEqual([]));

  it('device warnings: ignore fields that a board does not report', () => {
    const silent = { ...wellDevice, connection: 'never_connected', machine_link: null, journal: null } as const;
    expect(warningsOf({ ...silent, clock_synced: null, disk_free_bytes: null })).toEqual([]);
  });

  it('device warnings: report a board without a machine map', () => {
    const noMap = {
      machine_link: 'starting',
      map: null,
      machine_link_detail: 'no machine map; journal: EROFS',
    } as const;
    expect(warningsOf({ ...wellDevice, ...noMap })).toEqual(['no_map']);
    expect(warningsOf({ ...wellDevice, ...noMap, machine_link_detail: null })).toEqual([]);
  });

  it('device warnings: report a credential that two boards use', () =>
    expect(warningsOf({ ...wellDevice, credential_shared: true })).toEqual(['credential_shared']));

  it('device warnings: report a board whose disk is not writable', () => {
    const journal = { entries_waiting: 3, bytes: 4096, dropped_entries: 0, entries_in_memory: 0 };
    expect(warningsOf({ ...wellDevice, journal })).toEqual(['disk_refuses_writes']);
  });

  it('device warnings: report a requested update that failed, and settings that were reverted', () => {
    const order = { version: '0.2.0', reason: 'torn', ordered_at: '2026-11-21T07:40:00.000Z', ordered_by: 'Ana' };
    expect(warningsOf({ ...wellDevice, order: { ...order, state: 'failed' } })).toEqual(['update_failed']);
    expect(warningsOf({ ...wellDevice, order: { ...order, state: 'trial' } })).toEqual([]);
    const config = { ...wellDevice.config, state: 'reverted' } as const;
    expect(warningsOf({ ...wellDevice, config })).toEqual(['config_refused']);
  });

  it('device warnings: report an update that was rolled back, but not one that is kept or on trial', () => {
    const update = { state: 'turned_back', installed: '0.2.0', earlier: '0.1.0', reason: 'it hung', at: 1e12 } as const;
    expect(warningsOf({ ...wellDevice, update })).toEqual(['update_turned_back']);
    for (const state of ['good', 'on_trial', 'waiting'] as const)
      expect(warningsOf({ ...wellDevice, update: { ...update, state } })).toEqual([]);
  });

  it('device warnings: report every problem, the worst first', () => {
    const bad = { ...wellDevice, connection: 'offline', machine_link: 'failing', clock_synced: false } as const;
    expect(
      warningsOf({
        ...bad,
        credential: null,
        disk_free_bytes: 1e8,
        journal: { entries_waiting: 9000, bytes: 2e6, dropped_entries: 12, entries_in_memory: null },
      }),
    ).toEqual(['no_credential', 'journal_dropped', 'disk', 'machine_link', 'offline', 'journal_waiting', 'clock']);
  });
});
