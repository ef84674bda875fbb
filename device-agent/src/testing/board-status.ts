import type { BoardStatus } from '../status-page/board-status.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
/** The status of an agent while a roast runs without problems. */
export const healthyBoard: BoardStatus = {
  v: 1,
  agent_version: '0.1.0',
  firmware_version: '1.0.0',
  machine_serial: 'RM30-<7>',
  api_url: 'https://roastery.example',
  pid: 7,
  started_at: now - 3_600_000,
  now,
  machine: { state: 'ok', detail: null, line: 'tcp 192.168.0.20:502', reached_hz: null },
  map: { id: 'demo', rev: 3, maker: 'Maker', model: 'Drum & Son', hz: 2 },
  values: [
    { channel: 'bean_temp', value: 201.34, unit: '°C' },
    { channel: 'heat_power', value: 40, unit: '%' },
  ],
  values_age_ms: 400,
  roast: { running: { id: 'r', seconds: 461 }, last: null },
  plan: {
    name: 'House <filter>',
    is_running: true,
    settings: 'Burner 80 % · Air 40 % · Drum 60 RPM',
    step: 'In 0:25 · Burner 80 → 60 %',
    deviations: ['burner is 12 % above plan'],
  },
  uplink: {
    connected: true,
    since: now - 600_000,
    reason: null,
    broker: 'roastery.example:8883',
    brokers: ['roastery.example:8883'],
  },
  journal: {
    entries_waiting: 2,
    bytes: 4096,
    dropped_entries: 0,
    send_every_seconds: 1,
    trouble: null,
    in_memory: false,
    entries_in_memory: 0,
    streams_awaiting_owner: 0,
  },
  clock: { synced: true, server_offset_ms: 20 },
  disk: { free_bytes: 9e9 },
  channels_exchanged: null,
  update: null,
  artisan: null,
};
