import { addressShape, eventNameShape, type MachineMap } from '@roastery/contract/machine-map';
import { parseShape } from '@roastery/contract/parse-shape';
import { t } from '../../language/t.ts';

export const eventNames = eventNameShape.options;
export type EventName = (typeof eventNames)[number];
export const eventLabels: Readonly<Record<EventName, string>> = {
  charge: t`Charge`,
  turning_point: t`Turning point`,
  dry_end: t`Dry end`,
  first_crack: t`First crack`,
  first_crack_end: t`First crack end`,
  second_crack: t`Second crack`,
  second_crack_end: t`Second crack end`,
  drop: t`Drop`,
  cooling: t`Cooling`,
  cool_end: t`Cooling end`,
};

type MapEvent = NonNullable<MachineMap['events'][EventName]>;
type Step = NonNullable<MapEvent['on']>[number];

/** An event as a row of the form. */
export interface EventDraft {
  readonly key: number;
  readonly name: EventName;
  /** The signal bit of the machine; '' for none. */
  readonly when: string;
  /** The writes that trigger it, as `stepsText` writes them; '' for none. */
  readonly on: string;
}

const stepPattern = /^(\S+)\s*=\s*(-?\d+(?:[.,]\d+)?)$/;
const waitPattern = /^wait\s+(\d+(?:[.,]\d+)?)\s*(ms|s)$/i;
const wantsSteps = t`Separate steps with commas, e.g. h:1008 = 2, wait 10 s, h:1008 = 5`;

/** `h:1008 = 2, wait 10 s, h:1008 = 5`; '' for none. */
export const stepsText = (on: MapEvent['on']): string =>
  (on ?? [])
    .map((step) => (Array.isArray(step) ? `${step[0]} = ${step[1]}` : t`wait ${step.wait / 1000} s`))
    .join(', ');

/** Parses the text of `stepsText`, or gives a sentence about its error. Decimals have a point. */
export const stepsOf = (text: string): { readonly steps: readonly Step[] } | { readonly problem: string } => {
  const steps: Step[] = [];
  for (const part of text.split(',').map((one) => one.trim())) {
    const [, wait, unit] = waitPattern.exec(part) ?? [];
    const [, at, value] = stepPattern.exec(part) ?? [];
    if (wait !== undefined) steps.push({ wait: Math.round(Number(wait) * (unit?.toLowerCase() === 'ms' ? 1 : 1000)) });
    else if (at !== undefined) {
      const address = parseShape(addressShape, at);
      if (!address.success) return { problem: address.issues[0]?.message ?? wantsSteps };
      steps.push([at, Number(value)]);
    } else return { problem: wantsSteps };
  }
  return { steps };
};

export const eventDraftsOf = (events: MachineMap['events']): EventDraft[] =>
  eventNames.flatMap((name, key) => {
    const event = events[name];
    return event === undefined ? [] : [{ key, name, when: event.when ?? '', on: stepsText(event.on) }];
  });

/** The events of the rows, not validated, with the errors by row (`1.on`). */
export const eventsOf = (drafts: readonly EventDraft[]) => {
  const problems: Record<string, string> = {};
  const events = drafts.map((draft, row) => {
    const steps = draft.on.trim() === '' ? undefined : stepsOf(draft.on);
    if (steps !== undefined && 'problem' in steps) problems[`${row}.on`] = steps.problem;
    if (draft.when.trim() === '' && steps === undefined)
      problems[`${row}.when`] = t`Enter the machine signal, or the writes that trigger it`;
    return [
      draft.name,
      {
        ...(draft.when.trim() === '' ? {} : { when: draft.when.trim() }),
        ...(steps !== undefined && 'steps' in steps ? { on: steps.steps } : {}),
      },
    ] as const;
  });
  return { events: Object.fromEntries(events), problems };
};
