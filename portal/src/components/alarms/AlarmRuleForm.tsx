import { armingMarks, type AlarmRule, type AlarmRuleBody } from '@roastery/contract/alarm-rules';
import { alarmColours } from '@roastery/contract/alarms';
import { knownChannels } from '@roastery/contract/channels';
import { phaseNames } from '@roastery/roasting/curves/phases';
import { useState } from 'react';
import { usePreferences } from '../../format/preferences.ts';
import { unitOf, type Units } from '../../format/quantities.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { useDirtyDialog } from '../../ui/Dialog.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { markLabels, phaseLabels } from '../chart/mark-layout.ts';
import { NumberField } from '../number-fields.tsx';
import { channelLabel } from './alarm-texts.ts';
import { kindLabels, sideLabels } from './rule-texts.ts';
import {
  emptyRule,
  figureOf,
  isArmedByItself,
  readRule,
  valuesOfRule,
  type FormKind,
  type ReadRule,
  type RuleValues,
} from './rule-values.ts';

interface AlarmRuleFormProps {
  /** Null for a new one. */
  rule: AlarmRule | null;
  onSave: (body: AlarmRuleBody) => Promise<void>;
  onDelete: () => Promise<void>;
  onCancel: () => void;
}

const kinds: readonly FormKind[] = [
  'temperature',
  'rate_of_rise',
  'time',
  'reference_distance',
  'phase_share',
  'channel_silent',
  'channel_frozen',
];
const kindChoices = kinds.map((value) => ({ value, label: kindLabels[value] }));
const sideChoices = (['above', 'below'] as const).map((value) => ({ value, label: sideLabels[value] }));
const markChoices = armingMarks.map((value) => ({ value, label: markLabels[value].long }));
const phaseChoices = phaseNames.map((value) => ({ value, label: phaseLabels[value].long }));
const colourNames = { red: t`Red`, amber: t`Amber`, green: t`Green`, blue: t`Blue` } as const;
const colourChoices = alarmColours.map((value) => ({ value, label: colourNames[value] }));
const channelChoices = (kind: FormKind) => {
  const channels: readonly string[] = kind === 'temperature' ? ['bean_temp', 'exhaust_temp'] : knownChannels;
  return channels.map((value) => ({ value, label: channelLabel(value) }));
};

const figureUnit = (kind: FormKind, units: Units): string => {
  const figure = figureOf(kind);
  if (figure === 'time') return 'm:ss';
  if (figure === 'seconds') return 's';
  return unitOf(figure === 'difference' ? 'temperature' : figure, units);
};

/** One rule: its condition, and the message of its alarm. */
export const AlarmRuleForm = ({ rule, onSave, onDelete, onCancel }: AlarmRuleFormProps) => {
  // The unit of the form stays as it was when it was opened.
  const preferred = usePreferences();
  const [units] = useState<Units>(preferred);
  const [initial] = useState(() => (rule === null ? emptyRule : valuesOfRule(rule, units)));
  const [values, setValues] = useState<RuleValues>(initial);
  const [problems, setProblems] = useState<Extract<ReadRule, { ok: false }> | null>(null);
  const [isBusy, setBusy] = useState(false);
  useDirtyDialog(JSON.stringify(values) !== JSON.stringify(initial));
  const set = (next: Partial<RuleValues>) => {
    setValues((current) => ({ ...current, ...next }));
    setProblems(null);
  };
  const { kind } = values;
  const submit = async () => {
    const read = readRule(values, units);
    if (!read.ok) {
      setProblems(read);
      return;
    }
    setBusy(true);
    await onSave(read.body);
    setBusy(false);
  };
  const figure = {
    label: kind === 'time' ? t`Time` : kind === 'phase_share' ? t`Share` : t`Limit`,
    unit: figureUnit(kind, units),
    error: problems?.figure,
    value: values.figure,
    required: true,
  };
  const hasChannel = kind === 'temperature' || kind === 'channel_silent' || kind === 'channel_frozen';
  const hasSide = kind === 'temperature' || kind === 'rate_of_rise' || kind === 'reference_distance';
  return (
    <form
      noValidate
      aria-label={rule === null ? t`New alarm` : t`Alarm`}
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          label={t`When`}
          choices={kindChoices}
          value={kind}
          onChange={(next) => set({ kind: next, figure: '', ...(next === 'temperature' && { channel: 'bean_temp' }) })}
        />
        {kind === 'time' && (
          <Select label={t`After`} choices={markChoices} value={values.after} onChange={(after) => set({ after })} />
        )}
        {kind === 'phase_share' && (
          <Select label={t`Phase`} choices={phaseChoices} value={values.phase} onChange={(phase) => set({ phase })} />
        )}
        {hasChannel && (
          <Select
            label={t`Channel`}
            choices={channelChoices(kind)}
            value={values.channel}
            onChange={(channel) => set({ channel })}
          />
        )}
        {hasSide && (
          <Select label={t`Is`} choices={sideChoices} value={values.side} onChange={(side) => set({ side })} />
        )}
        {kind === 'time' ? (
          <TextField {...figure} inputMode="text" onChange={({ target }) => set({ figure: target.value })} />
        ) : (
          <NumberField {...figure} onChange={({ target }) => set({ figure: target.value })} />
        )}
        {!isArmedByItself(kind) && (
          <Select
            label={t`From this mark on`}
            choices={markChoices}
            value={values.armedAfter}
            onChange={(armedAfter) => set({ armedAfter })}
          />
        )}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t`Message`}
          required
          maxLength={120}
          value={values.message}
          error={problems?.message}
          onChange={({ target }) => set({ message: target.value })}
        />
        <Select label={t`Color`} choices={colourChoices} value={values.colour} onChange={(colour) => set({ colour })} />
      </div>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        <Checkbox label={t`With sound`} checked={values.sound} onChange={(sound) => set({ sound })} />
        <Checkbox label={t`Send to phones`} checked={values.push} onChange={(push) => set({ push })} />
      </div>
      <p className="text-sm text-muted">
        {t`It fires once per roast. Phones are chosen under Account.`}{' '}
        {(kind === 'channel_silent' || kind === 'channel_frozen') && t`They get one message per fault of the machine.`}
      </p>
      <div className="flex flex-wrap justify-end gap-2">
        {rule !== null && (
          <Button size="md" kind="danger" className="mr-auto" onClick={() => void onDelete()}>
            {t`Delete`}
          </Button>
        )}
        <Button size="md" onClick={onCancel}>{t`Cancel`}</Button>
        <Button size="md" kind="primary" type="submit" busy={isBusy}>{t`Save alarm`}</Button>
      </div>
    </form>
  );
};
