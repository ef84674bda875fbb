import type { ProbeWish } from '@roastery/contract/probe';
import { Radar, ScanSearch, Square } from 'lucide-react';
import { useState } from 'react';
import { FormFrame } from '../../components/form/RecordForm.tsx';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Select } from '../../ui/Select.tsx';
import { NumberField } from '../../components/number-fields.tsx';
import { TextField } from '../../ui/TextField.tsx';

interface ReadFormProps {
  /** As typed: `1` or `1, 2`. */
  units: string;
  onUnits: (units: string) => void;
  /** Whether the machine is on a serial line, whose speed may be wrong. */
  isSerial: boolean;
  busy: boolean;
  ready: boolean;
  onStart: (wish: ProbeWish) => void;
  onFind: (unit: number) => void;
  onStop: () => void;
}

const tableChoices = [
  { value: 'registers', label: t`Holding and input registers` },
  { value: 'holding', label: t`Holding registers` },
  { value: 'input', label: t`Input registers` },
  { value: 'bits', label: t`Coils and discrete inputs` },
  { value: 'all', label: t`All four` },
] as const;
const tablesOf = {
  registers: ['holding', 'input'],
  holding: ['holding'],
  input: ['input'],
  bits: ['coil', 'discrete'],
  all: ['holding', 'input', 'coil', 'discrete'],
} as const;

/** Parses units: `1` or `1, 2`. Undefined when invalid. */
const unitsIn = (text: string): number[] | undefined => {
  const units = text.split(',').map((part) => Number(part.trim() === '' ? Number.NaN : part));
  const good = units.length <= 4 && units.every((unit) => Number.isInteger(unit) && unit >= 0 && unit <= 255);
  return good ? units : undefined;
};

/** Which registers to read, with the usual defaults. */
export const ReadForm = (props: ReadFormProps) => {
  const { units, onUnits, isSerial, busy, ready, onStart, onFind, onStop } = props;
  const [tables, setTables] = useState<keyof typeof tablesOf>('registers');
  const [from, setFrom] = useState('0');
  const [count, setCount] = useState('128');
  const [usual, setUsual] = useState(true);
  const unitList = unitsIn(units);
  const [first, many] = [Number(from), Number(count)];
  const fromIsGood = from !== '' && Number.isInteger(first) && first >= 0 && first <= 65_535;
  const countIsGood = Number.isInteger(many) && many >= 1 && many <= 2000 && first + many <= 65_536;
  const start = () => {
    if (unitList === undefined || !fromIsGood || !countIsGood) return;
    onStart({ units: unitList, tables: [...tablesOf[tables]], from: first, count: many, usual_places: usual });
  };
  return (
    <FormFrame of={{ submit: start, isDirty: false }} className="grid grid-cols-2 gap-4 p-4 md:grid-cols-4">
      <Select
        label={t`Registers`}
        choices={tableChoices}
        value={tables}
        onChange={setTables}
        className="col-span-2 md:col-span-1"
      />
      <TextField
        label={t`Unit`}
        value={units}
        onChange={(event) => onUnits(event.target.value)}
        error={unitList === undefined ? t`Enter up to four numbers, separated by commas` : undefined}
        className="col-span-2 md:col-span-1"
      />
      <NumberField
        label={t`From`}
        value={from}
        onChange={(event) => setFrom(event.target.value)}
        error={fromIsGood ? undefined : t`0 to 65535`}
      />
      <NumberField
        label={t`Number of registers`}
        value={count}
        onChange={(event) => setCount(event.target.value)}
        error={countIsGood ? undefined : t`1 to 2000`}
      />
      <div className="col-span-full flex flex-wrap items-center justify-between gap-3">
        <Checkbox label={t`Also common temperature registers of controllers`} checked={usual} onChange={setUsual} />
        {busy ? (
          <Button size="md" icon={<Square aria-hidden />} onClick={onStop}>
            {t`Stop`}
          </Button>
        ) : (
          <div className="flex flex-wrap gap-3">
            <Button size="md" icon={<Radar aria-hidden />} disabled={!ready} onClick={() => onFind(unitList?.[0] ?? 1)}>
              {isSerial ? t`Find speed and unit` : t`Find unit`}
            </Button>
            <Button type="submit" kind="primary" size="md" icon={<ScanSearch aria-hidden />} disabled={!ready}>
              {t`Read registers`}
            </Button>
          </div>
        )}
      </div>
    </FormFrame>
  );
};
