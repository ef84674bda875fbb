import type { Channel } from '@roastery/contract/machine-map';
import { numberInField, readNumber } from '../../format/numbers.ts';

/** The typed number; NaN, which no shape accepts, for anything else. */
export const figure = (typed: string): number =>
  // A map may hold 1e-7, which no region writes.
  typed.trim() === '' ? Number.NaN : Number(readNumber(typed) ?? typed);

export const figureText = (value: number | undefined): string => (value === undefined ? '' : numberInField(value));

/** The common part of channel and output rows: a register and its decoding, numbers as typed. */
export interface RegisterDraft {
  /** React key of the row: names change while they are typed. */
  readonly key: number;
  readonly name: string;
  readonly at: string;
  readonly as: Channel['as'];
  readonly order: NonNullable<Channel['order']> | 'map';
  readonly scale: string;
  readonly offset: string;
  readonly unit: Channel['unit'];
  readonly low: string;
  readonly high: string;
}

export const emptyRegister = (key: number): Omit<RegisterDraft, 'unit' | 'low' | 'high'> => ({
  key,
  name: '',
  at: 'h:0',
  as: 'u16',
  order: 'map',
  scale: '1',
  offset: '0',
});

type Register = Pick<Channel, 'at' | 'as' | 'scale' | 'offset' | 'unit' | 'order' | 'range'>;

export const registerDraftOf = (key: number, name: string, register: Register): RegisterDraft => ({
  key,
  name,
  at: register.at,
  as: register.as,
  order: register.order ?? 'map',
  scale: numberInField(register.scale),
  offset: numberInField(register.offset),
  unit: register.unit,
  low: register.range === undefined ? '' : numberInField(register.range[0]),
  high: register.range === undefined ? '' : numberInField(register.range[1]),
});

/** As in a map, without the range, not validated. */
export const registerOf = (draft: RegisterDraft) => ({
  at: draft.at.trim(),
  as: draft.as,
  ...(draft.order === 'map' ? {} : { order: draft.order }),
  scale: figure(draft.scale),
  offset: figure(draft.offset),
  unit: draft.unit,
});

export const rangeOf = (draft: RegisterDraft) => [figure(draft.low), figure(draft.high)];
