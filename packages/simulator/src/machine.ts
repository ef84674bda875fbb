import type { z } from 'zod';
import type { eventNameShape } from '@roastery/contract/machine-map';
import type { Readings } from './model/machine-readings.ts';

export type EventName = z.infer<typeof eventNameShape>;

/** What stands behind the registers: the thermal model with its operator, or a recorded roast. */
export interface RoastingMachine {
  /** Seconds of the machine's own time since it started. */
  readonly timeSeconds: number;
  readonly phase: 'preheating' | 'ready' | 'roasting' | 'cooling' | 'over';
  /** Roasts begun so far. */
  readonly roasts: number;
  /** Which sample of a recorded roast is shown; undefined for the model. */
  readonly sampleIndex: number | undefined;
  /** Lets the machine's time pass. */
  advance(seconds: number): void;
  /** The machine's time until its readings change by themselves; undefined when they change all the time. */
  secondsToNextChange(): number | undefined;
  /** °C, %, Pa by channel name; null where a probe gives nothing, absent where the machine has no such instrument. */
  readings(): Readings;
  /** Events whose bit is up: raised at the event, lowered when the roast is past it (a drop takes the charge back). */
  raisedEvents(): ReadonlySet<EventName>;
  /** Charges now (a recorded roast starts to play); false when it can't. */
  charge(): boolean;
  /** Drops now; false when there is nothing to drop. */
  drop(): boolean;
  /** A value was written to an output, °C or %: the operator's hands are off that control. */
  setOutput(name: string, value: number): boolean;
}

/** Which bits are up after these events, in the order in which they happened. */
export const raisedAfter = (events: readonly EventName[]): ReadonlySet<EventName> => {
  const raised = new Set<EventName>();
  for (const event of events) {
    // A new charge takes everything back; a drop ends what belongs to the roast, cool end what belongs to the cooling.
    if (event === 'charge' || event === 'drop') raised.clear();
    if (event === 'cool_end') raised.delete('cooling');
    raised.add(event);
    if (event === 'drop') raised.add('cooling');
  }
  return raised;
};
