import type { MachineMap } from '@roastery/contract/machine-map';
import { pause } from '@roastery/runtime/backoff';
import { realClock, type Clock } from '@roastery/runtime/clock';
import { portalUnit, type Quality } from '../core/decoder.ts';
import { createBus } from '../machine/bus.ts';
import { createReader } from '../machine/reader.ts';

export interface ReadChannel {
  readonly channel: string;
  readonly value: number | null;
  readonly unit: string;
  readonly quality: Quality;
}

export type MachineReading =
  | { readonly kind: 'read'; readonly channels: readonly ReadChannel[]; readonly tookMs: number }
  | { readonly kind: 'silent'; readonly reason: string };

/** A first request may be lost; a connected machine answers one of these. */
const attempts = 3;
const betweenMs = 500;
export const lateAnswer = /one came after (\d+) ms/;

/** Reads a machine a few times at most until it answers. Never writes. */
export const readMachine = async (map: MachineMap, clock: Clock = realClock): Promise<MachineReading> => {
  const bus = createBus(map.link, map, clock);
  try {
    const reader = createReader(map, bus, clock.monotonic);
    let reason = '';
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (attempt > 0) await pause(map.quietMs + betweenMs, undefined, clock);
      const began = clock.monotonic();
      const outcome = await reader.read();
      if (outcome.kind === 'reading') {
        const channels = reader.channels.map((channel, column): ReadChannel => {
          const definition = map.channels[channel];
          return {
            channel,
            value: outcome.values[column] ?? null,
            unit: definition === undefined ? '' : portalUnit(channel, definition),
            quality: outcome.qualities[column] ?? 'unit_silent',
          };
        });
        return { kind: 'read', channels, tookMs: Math.round(clock.monotonic() - began) };
      }
      // While the line rests after a failure the first reason is the real one, unless a late answer arrived.
      if (reason === '' || lateAnswer.test(outcome.reason)) ({ reason } = outcome);
    }
    return { kind: 'silent', reason };
  } finally {
    bus.close();
  }
};
