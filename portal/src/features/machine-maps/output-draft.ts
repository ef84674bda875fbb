import type { MachineMap, Output } from '@roastery/contract/machine-map';
import { figure, figureText } from './figures.ts';

/** An output as its row has it: figures as they are typed. */
export interface OutputDraft {
  /** Of the row, for React: names change while they are typed. */
  readonly key: number;
  readonly name: string;
  readonly at: string;
  readonly as: Output['as'];
  readonly order: NonNullable<Output['order']> | 'map';
  readonly scale: string;
  readonly offset: string;
  readonly unit: Output['unit'];
  readonly low: string;
  readonly high: string;
  readonly maxPerSecond: string;
  readonly safe: string;
  /** Name of a channel, or '' for none. */
  readonly readback: string;
}

export const emptyOutput = (key: number): OutputDraft => ({
  key,
  name: '',
  at: 'h:0',
  as: 'u16',
  order: 'map',
  scale: '1',
  offset: '0',
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
            key,
            name,
            at: output.at,
            as: output.as,
            order: output.order ?? 'map',
            scale: String(output.scale),
            offset: String(output.offset),
            unit: output.unit,
            low: String(output.range[0]),
            high: String(output.range[1]),
            maxPerSecond: figureText(output.maxPerSecond),
            safe: figureText(output.safe),
            readback: output.readback ?? '',
          },
        ],
  );

/** As a map has it; what was not typed is not there. For the shape to judge. */
export const outputOf = (draft: OutputDraft) => ({
  at: draft.at.trim(),
  as: draft.as,
  ...(draft.order === 'map' ? {} : { order: draft.order }),
  scale: figure(draft.scale),
  offset: figure(draft.offset),
  unit: draft.unit,
  range: [figure(draft.low), figure(draft.high)],
  ...(draft.maxPerSecond.trim() === '' ? {} : { maxPerSecond: figure(draft.maxPerSecond) }),
  ...(draft.readback === '' ? {} : { readback: draft.readback }),
  ...(draft.safe.trim() === '' ? {} : { safe: figure(draft.safe) }),
});
