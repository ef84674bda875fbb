import type { Blend, BlendableRoast, createBlend } from '@roastery/contract/blends';
import type { BodyOf } from '@roastery/contract/endpoint';
import { exactWeight, weightUnit } from '../../format/weights.ts';
import type { Resolver } from 'react-hook-form';
import { roastName } from '../../components/live/roast-texts.ts';
import { t } from '../../language/t.ts';

/** One line of the form: a roast and the kilograms as typed. */
export interface BlendLine {
  readonly roastId: string;
  /** `R-11 · Fazenda Alta` */
  readonly name: string;
  readonly kg: string;
  /** Available weight, kg; undefined until the server answered. */
  readonly leftKg: number | undefined;
}

export interface BlendValues {
  readonly name: string;
  readonly notes: string;
  readonly lines: readonly BlendLine[];
}

export const emptyBlend: BlendValues = { name: '', notes: '', lines: [] };

/** A blend as form values. Components of deleted roasts stay in the blend and are not in the form. */
export const valuesOfBlend = (blend: Blend): BlendValues => ({
  name: blend.name,
  notes: blend.notes ?? '',
  lines: blend.components.flatMap((component) => {
    const { roast_id: roastId, kg } = component;
    return roastId === null ? [] : [{ roastId, name: roastName(component), kg: String(kg), leftKg: undefined }];
  }),
});

export const lineOfRoast = (roast: BlendableRoast): BlendLine => ({
  roastId: roast.roast_id,
  name: roastName(roast),
  kg: '',
  leftKg: roast.left_kg,
});

const kgIn = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

/** Why a line is wrong; null when it is not. */
export const lineError = ({ kg, leftKg }: BlendLine): string | null => {
  const wanted = kgIn(kg);
  if (Number.isNaN(wanted)) return t`Enter the weight in ${weightUnit()}`;
  if (!(wanted > 0)) return t`Weight must be greater than 0`;
  if (leftKg !== undefined && Math.round(wanted * 1e6) > Math.round(leftKg * 1e6)) {
    return t`Only ${exactWeight(leftKg)} left`;
  }
  return null;
};

/** Exact to the milligram. `keptKg` is the weight of deleted roasts, which stay in the blend. */
export const totalKg = (lines: readonly BlendLine[], keptKg = 0): number =>
  lines.reduce((sum, { kg }) => sum + Math.round((kgIn(kg) || 0) * 1e6), Math.round(keptKg * 1e6)) / 1e6;

export const shareOf = (line: BlendLine, totalOfBlend: number): number | null => {
  const kg = kgIn(line.kg);
  return totalOfBlend > 0 && kg > 0 ? kg / totalOfBlend : null;
};

export const bodyOfBlend = ({ name, notes, lines }: BlendValues): BodyOf<typeof createBlend> => ({
  name: name.trim(),
  notes: notes.trim() === '' ? null : notes,
  components: lines.map(({ roastId, kg }) => ({ roast_id: roastId, kg: kgIn(kg) })),
});

/** Turns the form into the body of the request. A blend may lose its last roast only when deleted roasts stay in it. */
export const blendResolver =
  (
    withLeft: (line: BlendLine) => BlendLine,
    hasDeleted: boolean,
  ): Resolver<BlendValues, unknown, BodyOf<typeof createBlend>> =>
  (values) => {
    const isNamed = values.name.trim() !== '';
    const isFilled = values.lines.length > 0 || hasDeleted;
    const areRight = isFilled && values.lines.every((line) => lineError(withLeft(line)) === null);
    if (isNamed && areRight) return { values: bodyOfBlend(values), errors: {} };
    return {
      values: {},
      errors: {
        ...(!isNamed && { name: { type: 'required', message: t`Name is required` } }),
        ...(!areRight && { lines: { type: 'lines', message: t`Check the roasts` } }),
      },
    };
  };
