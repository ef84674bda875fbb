import type { Preferences } from '@roastery/contract/auth';
import { rateCToF } from '@roastery/roasting/units';
import { formatMoney, formatPrice } from '../../format/money.ts';
import { formatCount, formatNumber, formatRoasts } from '../../format/numbers.ts';
import { weightNumber, weightText } from '../../format/weights.ts';

const missing = '--';

/** A sum of weights, without and with its unit. */
export const sumNumber = (kg: number): string => weightNumber(kg, 1, 1);
export const sumText = (kg: number): string => weightText(kg, 1, 1);
export const moneyText = (amount: number | null): string => (amount === null ? missing : formatMoney(amount));
export const priceText = (perKg: number | null): string => (perKg === null ? missing : formatPrice(perKg));
export const roastsText = (count: number): string => formatRoasts(count);

/** 0.1834 → `18.3`; the unit is the page's. */
export const percentText = (share: number | null): string => (share === null ? missing : formatNumber(share * 100, 1));

/** `18.3 ± 1.2%`; the spread only where there is one. */
export const ratioText = (mean: number | null, deviation: number | null): string => {
  if (mean === null) return missing;
  const spread = deviation === null ? '' : ` ± ${percentText(deviation)}`;
  return `${percentText(mean)}${spread}%`;
};

type Degree = Preferences['temperature_unit'];
/** A temperature difference in the reader's unit: °F scales it by 1.8 without the offset of 32. */
export const differenceIn = (differenceC: number, degree: Degree): number =>
  degree === 'F' ? rateCToF(differenceC) : differenceC;
export const differenceText = (differenceC: number | null, degree: Degree): string =>
  differenceC === null ? missing : formatNumber(differenceIn(differenceC, degree), 1);

/** `+12%` of a figure against an earlier one; undefined where there is nothing to compare with. */
export const changeText = (now: number | null, before: number | null | undefined): string | undefined => {
  if (now === null || before === null || before === undefined || before === 0) return undefined;
  const percent = Math.round((now / before - 1) * 100);
  return `${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${formatCount(Math.abs(percent))}%`;
};
