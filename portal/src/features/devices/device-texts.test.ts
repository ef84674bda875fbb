import { describe, expect, it } from 'vitest';
import {
  diskText,
  filesText,
  journalText,
  linkText,
  mapText,
  pairedFrom,
  pairingLabels,
  restoreQuestion,
  updatesText,
  updateText,
} from './device-texts.ts';

describe('texts of a board', () => {
  it.each([
    [null, '--'],
    [7.44e9, '7.4 GB free'],
    [312e6, '312 MB free'],
    [0, '0 KB free'],
  ])('%s bytes of disk are %s', (free, text) => expect(diskText({ disk_free_bytes: free, journal: null })).toBe(text));

  it('diskText: reports a disk that does not accept writes', () => {
    const journal = { entries_waiting: 12, bytes: 0, dropped_entries: 0, entries_in_memory: 12 };
    expect(diskText({ disk_free_bytes: 0, journal })).toBe(
      'Board keeps 12 readings in memory: its disk is not writable',
    );
  });

  it('are empty where the board reported nothing', () => {
    expect([mapText({ map: null, source: null }), journalText({ journal: null })]).toEqual(['--', '--']);
  });

  it('linkText: reports a missing map, with an instruction', () => {
    const noMap = { machine_link: 'starting', machine_link_detail: 'no machine map', map: null, source: null } as const;
    expect(linkText(noMap)).toBe('No map: choose one under Map and settings');
    expect(linkText({ ...noMap, machine_link_detail: null })).toBe('Starting');
  });

  it('name Artisan as the source, with the results of its files', () => {
    const files = { sent: 1200, refused: 1, waiting: 0, trouble: null, newest: [] };
    const source = { kind: 'artisan', live: true, files } as const;
    const silent = { machine_link: 'failing', machine_link_detail: null, map: null } as const;
    expect(mapText({ map: null, source: { ...source, files } })).toBe('Artisan');
    expect(filesText({ source })).toBe('Files: 1,200 imported, 1 refused');
    expect(filesText({ source: { ...source, files: null } })).toBeNull();
    expect(linkText({ ...silent, source })).toBe('No readings from Artisan');
  });

  it('show which version was installed and why the previous one runs', () => {
    const update = { state: 'turned_back', installed: '0.2.0', earlier: '0.1.0', at: 1e12 } as const;
    expect(updateText({ update: { ...update, reason: 'it hung, 3 times' }, order: null })).toBe(
      'Rolled back from 0.2.0: it hung, 3 times',
    );
    expect(updateText({ update: { ...update, state: 'on_trial' }, order: null })).toBe('On trial');
    expect([
      updateText({ update: null, order: null }),
      updateText({ update: { ...update, state: 'good' }, order: null }),
    ]).toEqual([null, null]);
  });

  it('show the progress of an ordered update, and count all boards', () => {
    const ordered = { version: '0.3.0', reason: null, ordered_at: '2026-11-21T15:00:00Z', ordered_by: 'Ana' } as const;
    const says = (state: 'wanted' | 'fetching' | 'done') => updateText({ update: null, order: { ...ordered, state } });
    expect([says('wanted'), says('fetching'), says('done')]).toEqual([
      'Update to 0.3.0 requested',
      'Installing 0.3.0',
      null,
    ]);
    const failed = { ...ordered, state: 'failed', reason: 'the server has no version 0.3.0 for this board' } as const;
    expect(updateText({ update: null, order: failed })).toBe(
      'Update failed: the server has no version 0.3.0 for this board',
    );
    const none = { boards: 12, updated: 3, by_hand: 0, under_way: 0, turned_back: 1, failed: 0 };
    expect(updatesText(none)).toBe('3 of 12 updated, 1 rolled back');
  });

  it('show how much sealed history would be restored, from when, and who will see it', () => {
    const device = { display_name: 'Big Drum', owner_name: 'Ana Restrepo' };
    const sealed = { epochs: ['0123456789abcdef'], entries: 1_204_000, from: '2026-11-01', to: '2026-11-20' };
    expect(restoreQuestion({ ...device, sealed_history: sealed }, (day) => day)).toBe(
      'The board of Big Drum holds 1,204,000 entries from 2026-11-01 to 2026-11-20 that it recorded for another owner or before this server knew it. Restore them only if they belong to Ana Restrepo, who will see these roasts.',
    );
    expect(restoreQuestion({ ...device, sealed_history: null }, String)).toContain('no sealed history');
  });

  it('does not show a board as paired whose credential has ended', () => {
    const credential = { origin: 'pairing', since: '2026-11-21T15:00:00Z', previous_valid_until: null } as const;
    const labels = (state: 'pending' | 'paired' | 'confirmed') => [
      pairingLabels({ ticket: { state }, credential })?.label,
      pairingLabels({ ticket: { state }, credential: null })?.label,
    ];
    expect(labels('confirmed')).toEqual(['Paired', 'Ended']);
    expect(labels('paired')).toEqual(['Paired', 'Ended']);
    expect(labels('pending')).toEqual(['Pending', 'Pending']);
    expect(pairingLabels({ ticket: null, credential })).toBeNull();
  });

  it('show the address and the board of a pairing', () => {
    const ticket = { redeemed_from: '10.0.0.7', hardware_id: 'board-1000' };
    expect(pairedFrom(ticket)).toBe('10.0.0.7 · board-1000');
    expect(pairedFrom({ redeemed_from: null, hardware_id: null })).toBe('--');
  });
});
