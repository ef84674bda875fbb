import { cToF, rateCToF, weightAsTyped, type MassUnit, type TemperatureUnit } from '@roastery/roasting/units';
import { defaultRegion, formatMoment, formatWith } from './format.ts';

/** The formats of one person: for texts that only they read, such as a downloaded file. */
export interface ReaderFormats {
  readonly weightUnit: MassUnit;
  /** A weight in their unit, for a cell whose head names it. */
  readonly weightNumber: (kg: number | null) => number | null;
  /** `12.5 kg`, `27,6 lb`; `--` when missing. */
  readonly weight: (kg: number | null) => string;
  /** `204.5`, `204,5` */
  readonly decimal: (value: number) => string;
  /** `1,234.5`, `1.234,5`: with thousands, for reading only. */
  readonly grouped: (value: number, digits: number) => string;
  /** `$1,234.50` */
  readonly money: (amount: number, currency: string) => string;
  /** `204.5 °C`; `--` when missing. */
  readonly temperature: (tempC: number | null, unit: TemperatureUnit) => string;
  /** `8.4 °C/min`; `--` when missing. */
  readonly rate: (perMinuteC: number | null | undefined, unit: TemperatureUnit) => string;
  /** 0.1834 → `18.3%`, `18,3 %` */
  readonly percent: (share: number) => string;
  /** A number with its own decimals; `--` when missing. */
  readonly number: (value: number | null) => string;
  readonly moment: (instant: string, timeZone: string) => string;
}

export const readerFormats = (choices: { weight_unit: MassUnit; date_language: string }): ReaderFormats => {
  const { weight_unit: unit, date_language: region } = choices;
  const number = formatWith(region, {
    maximumFractionDigits: 3,
    useGrouping: region === defaultRegion ? false : 'auto',
  });
  const oneDecimal = formatWith(region, { minimumFractionDigits: 1, maximumFractionDigits: 1, useGrouping: false });
  const share = formatWith(region, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return {
    weightUnit: unit,
    weightNumber: (kg) => (kg === null ? null : unit === 'kg' ? kg : weightAsTyped(kg, unit)),
    weight: (kg) => (kg === null ? '--' : `${number(weightAsTyped(kg, unit))} ${unit}`),
    decimal: oneDecimal,
    grouped: (value, digits) =>
      formatWith(region, { minimumFractionDigits: digits, maximumFractionDigits: digits })(value),
    money: (amount, currency) => formatWith(region, { style: 'currency', currency })(amount),
    temperature: (tempC, degree) =>
      tempC === null ? '--' : `${oneDecimal(degree === 'F' ? cToF(tempC) : tempC)} °${degree}`,
    rate: (rateC, degree) =>
      typeof rateC === 'number' ? `${oneDecimal(degree === 'F' ? rateCToF(rateC) : rateC)} °${degree}/min` : '--',
    percent: share,
    number: (value) => (value === null ? '--' : number(value)),
    moment: (instant, timeZone) => formatMoment(instant, timeZone, region),
  };
};
