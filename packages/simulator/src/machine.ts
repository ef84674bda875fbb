import type { z } from 'zod';
import type { eventNameShape } from '@roastery/contract/machine-map';
import type { Readings } from './model/machine-readings.ts';

export type EventName = z.infer<typeof eventNameShape>;

/** The source of the register values: the thermal model with its operator, or a recorded roast. */
export interface RoastingMachine {
  /** Seconds of the machine's own time since it started. */
  readonly timeSeconds: number;
  readonly phase: 'preheating' | 'ready' | 'roasting' | 'cooling' | 'over';
  /** Number of roasts begun so far. */
  readonly roasts: number;
  /** Index of the current sample of a recorded roast; undefined for the model. */
  readonly sampleIndex: number | undefined;
  /** Advances the machine's time. */
  advance(seconds: number): void;
  /** Machine time until its readings next change by themselves; undefined when they change all the time. */
  secondsToNextChange(): number | undefined;
  /** °C, %, Pa by channel name; null for a probe without a value, absent where the machine has no such instrument. */
  readings(): Readings;
  /** Events whose bit is up: raised at the event, lowered by later events (a drop lowers the charge). */
  raisedEvents(): ReadonlySet<EventName>;
  /** Charges now (a recorded roast starts to play); false when it cannot. */
  charge(): boolean;
  /** Drops now; false when there is nothing to drop. */
  drop(): boolean;
  /** A value was written to an output, °C or %: the operator no longer sets that control. */
  setOutput(name: string, value: number): boolean;
}

/** The bits that are up after these events, in order. */
export const raisedAfter = (events: readonly EventName[]): ReadonlySet<EventName> => {
  const raised = new Set<EventName>();
  for (const event of events) {
    // A new charge lowers all bits; a drop lowers those of the roast, cool end those of the cooling.
    if (event === 'charge' || event === 'drop') raised.clear();
    if (event === 'cool_end') raised.delete('cooling');
    raised.add(event);
    if (event === 'drop') raised.add('cooling');
  }
  return raised;
};
