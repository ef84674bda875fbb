import { useMemo } from 'react';
import { currencySign, pricePerKg, typedPrice } from '../format/money.ts';
import { numberInField, readNumber } from '../format/numbers.ts';
import { inOwnUnits, kilogramsOf, typedWeight, weightUnit } from '../format/weights.ts';
import { t } from '../language/t.ts';
import { TypedField, type Codec, type TypedFieldProps } from '../ui/TypedField.tsx';

type NumberFieldProps = TypedFieldProps & {
  min?: number | string | undefined;
  max?: number | string | undefined;
  /** By an arrow key. */
  step?: number;
};

type Limit = number | string | undefined;

/** Converts between a stored number and the one in the field. */
interface Scale {
  shown: (stored: number) => string;
  stored: (shown: number) => number;
}
const unscaled: Scale = { shown: String, stored: (shown) => shown };

const numberCodec = ({ shown, stored }: Scale, step: number, min: Limit, max: Limit): Codec => {
  const read = (typed: string) => {
    const number = readNumber(typed);
    return number === undefined ? undefined : String(stored(Number(number)));
  };
  return {
    write: (value) => (value.trim() === '' ? '' : numberInField(shown(Number(value)))),
    read,
    problem: t`Enter a number such as ${numberInField(9.4)}`,
    step: (value, direction) => {
      const next = Number(shown(Number(value))) + direction * step;
      const kept = stored(Number(next.toPrecision(12)));
      return String(Math.min(Number(max ?? Infinity), Math.max(Number(min ?? -Infinity), kept)));
    },
  };
};

/** A number as the person's region writes it, typed and shown. The form holds `-1234.5`. */
export const NumberField = ({ min, max, step = 1, ...field }: NumberFieldProps) => {
  const codec = useMemo(() => numberCodec(unscaled, step, min, max), [step, min, max]);
  return <TypedField inputMode="decimal" {...field} codec={codec} />;
};

const weights: Scale = { shown: typedWeight, stored: kilogramsOf };

/** A weight in the person's unit, typed and shown. The form holds kg, to the milligram; `min` and `max` are kg. */
export const WeightField = ({ min, max, step = 0.1, error, ...field }: NumberFieldProps) => {
  const codec = useMemo(() => numberCodec(weights, step, min, max), [step, min, max]);
  return (
    <TypedField inputMode="decimal" unit={weightUnit()} {...field} error={error && inOwnUnits(error)} codec={codec} />
  );
};

const prices: Scale = {
  shown: typedPrice,
  stored: pricePerKg,
};

/** A price per kg or lb in the currency of the roastery. The form holds the price per kg. */
export const PriceField = ({ min, max, step = 0.01, ...field }: NumberFieldProps) => {
  const codec = useMemo(() => numberCodec(prices, step, min, max), [step, min, max]);
  return <TypedField inputMode="decimal" unit={currencySign()} {...field} codec={codec} />;
};
