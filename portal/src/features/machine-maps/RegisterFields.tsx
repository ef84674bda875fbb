import { t } from '../../language/t.ts';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { encodings, orders, units } from './map-draft.ts';
import type { RegisterDraft } from './register-draft.ts';

const encodingChoices = encodings.map((value) => ({ value, label: value }));
const unitChoices = units.map((value) => ({
  value: value === '' ? 'none' : value,
  label: value === '' ? t`None` : value,
}));
const orderChoices = [{ value: 'map', label: t`Map` }, ...orders.map((value) => ({ value, label: value }))] as const;

interface RegisterFieldsProps {
  /** Label of the name field: Channel, Output. */
  label: string;
  register: RegisterDraft;
  problem: (field: string) => string | undefined;
  onChange: (change: Partial<RegisterDraft>) => void;
  /** The range may be empty. An output always has one. */
  openRange?: boolean;
}

/** Props of every field of a row. */
export const figureField = { autoComplete: 'off', size: 'sm', mono: true } as const;

/** The fields of a row without a frame: address, decoding, unit and range. */
export const RegisterFields = ({ label, register, problem, onChange, openRange = false }: RegisterFieldsProps) => {
  const text = (field: 'name' | 'at' | 'scale' | 'offset' | 'low' | 'high') => ({
    ...figureField,
    value: register[field],
    onChange: (event: { target: { value: string } }) => onChange({ [field]: event.target.value }),
  });
  const any = openRange ? { placeholder: t`any` } : {};
  return (
    <>
      <TextField label={label} spellCheck={false} error={problem('name')} {...text('name')} />
      <TextField label={t`Address`} spellCheck={false} error={problem('at')} {...text('at')} />
      <Select
        label={t`Type`}
        size="sm"
        choices={encodingChoices}
        value={register.as}
        onChange={(as) => onChange({ as })}
        error={problem('as')}
      />
      <Select
        label={t`Order`}
        size="sm"
        choices={orderChoices}
        value={register.order}
        onChange={(order) => onChange({ order })}
        error={problem('order')}
      />
      <TextField label={t`Scale`} inputMode="decimal" error={problem('scale')} {...text('scale')} />
      <TextField label={t`Offset`} inputMode="decimal" error={problem('offset')} {...text('offset')} />
      <Select
        label={t`Unit`}
        size="sm"
        choices={unitChoices}
        value={register.unit === '' ? 'none' : register.unit}
        onChange={(unit) => onChange({ unit: units.find((known) => known === unit) ?? '' })}
        error={problem('unit')}
      />
      <TextField label={t`From`} inputMode="decimal" error={problem('range')} {...any} {...text('low')} />
      <TextField label={t`To`} inputMode="decimal" {...any} {...text('high')} />
    </>
  );
};
