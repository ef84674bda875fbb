import { kgOfTyped, parseMassUnit, type MassUnit } from '@roastery/roasting/units';
import { numberInField, readNumber } from './numbers.ts';
import { weightUnit } from './weights.ts';

/** A bag as it is sold: 60 kg, 152 lb. */
export interface BagSize {
  weight: number;
  unit: MassUnit;
}

/** `60 kg`, `152 lb`: a bag has the unit of its label, whatever the person's unit is. */
export const bagText = ({ weight, unit }: BagSize): string => `${numberInField(weight)} ${unit}`;

/** `60 kg; 69 kg; 152 lb` */
export const bagsText = (sizes: readonly BagSize[]): string => sizes.map(bagText).join('; ');

/** The sizes in a text such as `60 kg; 152 lb`; undefined when one of them is not a weight. */
export const readBags = (typed: string): BagSize[] | undefined => {
  const texts = typed.split(';').map((text) => text.trim());
  const sizes = texts.filter((text) => text !== '').map(readBag);
  return sizes.every((size) => size !== undefined) ? sizes : undefined;
};

const readBag = (text: string): BagSize | undefined => {
  const [, figures = '', word = ''] = /^(.*?)\s*([a-z]+)$/i.exec(text) ?? [];
  const number = readNumber(figures);
  const unit = parseMassUnit(word);
  return number === undefined || unit === null || !(Number(number) > 0) ? undefined : { weight: Number(number), unit };
};

/** Weight of this many bags in kg: to 10 g for who reads kg, whose field shows all decimals; else to the milligram. */
export const kilogramsOfBags = (count: number, { weight, unit }: BagSize): number => {
  const kg = kgOfTyped(count * weight, unit);
  return weightUnit() === 'kg' ? Math.round(kg * 100) / 100 : kg;
};
