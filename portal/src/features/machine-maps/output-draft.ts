import type { MachineMap } from '@roastery/contract/machine-map';
import {
  emptyRegister,
  figure,
  figureText,
  rangeOf,
  registerDraftOf,
  registerOf,
  type RegisterDraft,
} from './register-draft.ts';

/** An output as a row of the form: numbers as typed. */
export interface OutputDraft extends RegisterDraft {
  readonly maxPerSecond: string;
  readonly safe: string;
  /** Name of a channel, or '' for none. */
  readonly readback: string;
}

export const emptyOutput = (key: number): OutputDraft => ({
  ...emptyRegister(key),
  unit: '%',
  low: '0',
  high: '100',
  maxPerSecond: '',
  safe: '',
  readback: '',
});

export const outputDraftsOf = (outputs: MachineMap['outputs']): OutputDraft[] =>
  Object.entries(outputs).flatMap(([name, output], key) =>
    output === undefined
      ? []
      : [
          {
            ...registerDraftOf(key, name, output),
            maxPerSecond: figureText(output.maxPerSecond),
            safe: figureText(output.safe),
            readback: output.readback ?? '',
          },
        ],
  );

/** As in a map, not validated; empty fields are absent. */
export const outputOf = (draft: OutputDraft) => ({
  ...registerOf(draft),
  range: rangeOf(draft),
  ...(draft.maxPerSecond.trim() === '' ? {} : { maxPerSecond: figure(draft.maxPerSecond) }),
  ...(draft.readback === '' ? {} : { readback: draft.readback }),
  ...(draft.safe.trim() === '' ? {} : { safe: figure(draft.safe) }),
});
