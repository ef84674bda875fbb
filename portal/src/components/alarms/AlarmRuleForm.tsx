import { armingMarks, type AlarmRule, type AlarmRuleBody } from '@roastery/contract/alarm-rules';
import { alarmColours } from '@roastery/contract/alarms';
import { knownChannels } from '@roastery/contract/channels';
import { phaseNames } from '@roastery/roasting/curves/phases';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import { usePreferences } from '../../format/preferences.ts';
import { unitOf, type Units } from '../../format/quantities.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Select } from '../../ui/Select.tsx';
import { TextField } from '../../ui/TextField.tsx';
import { markLabels, phaseLabels } from '../chart/mark-layout.ts';
import { FormError } from '../form/FormError.tsx';
import { FormField, FormFrame } from '../form/RecordForm.tsx';
import { useRecordForm, type RecordForm } from '../form/use-record-form.ts';
import { NumberField } from '../number-fields.tsx';
import { channelLabel } from './alarm-texts.ts';
import { kindLabels, sideLabels } from './rule-texts.ts';
import {
  emptyRule,
  figureOf,
  isArmedByItself,
  ruleResolver,
  valuesOfRule,
  type FormKind,
  type RuleValues,
} from './rule-values.ts';

interface AlarmRuleFormProps {
  /** Null for a new one. */
  rule: AlarmRule | null;
  onSave: (body: AlarmRuleBody) => Promise<unknown>;
  onDelete: () => Promise<unknown>;
  /** Saved, or cancelled. */
  onDone: () => void;
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
export const AlarmRuleForm = ({ rule, onSave, onDelete, onDone }: AlarmRuleFormProps) => {
  // The unit of the form stays as it was when it was opened.
  const preferred = usePreferences();
  const [units] = useState<Units>(preferred);
  const form = useRecordForm({
    values: rule === null ? emptyRule : valuesOfRule(rule, units),
    resolver: ruleResolver(units),
    fields: ['message'],
    failure: t`The alarm could not be saved`,
    save: onSave,
    saved: onDone,
  });
  const kind = useWatch({ control: form.hookForm.control, name: 'kind' });
  return (
    <FormFrame of={form} label={rule === null ? t`New alarm` : t`Alarm`} className="flex flex-col gap-4">
      <ConditionFields form={form} kind={kind} unit={figureUnit(kind, units)} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label={t`Message`} required maxLength={120} {...form.field('message')} />
        <FormField of={form} name="colour">
          {(field) => <Select label={t`Color`} choices={colourChoices} {...field} />}
        </FormField>
      </div>
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        <FormField of={form} name="sound">
          {({ value, onChange }) => <Checkbox label={t`With sound`} checked={value} onChange={onChange} />}
        </FormField>
        <FormField of={form} name="push">
          {({ value, onChange }) => <Checkbox label={t`Send to phones`} checked={value} onChange={onChange} />}
        </FormField>
      </div>
      <p className="text-sm text-muted">
        {t`It fires once per roast. Phones are chosen under Account.`}{' '}
        {(kind === 'channel_silent' || kind === 'channel_frozen') && t`They get one message per fault of the machine.`}
      </p>
      <FormError text={form.failure} />
      <div className="flex flex-wrap justify-end gap-2">
        {rule !== null && (
          <Button size="md" kind="danger" className="mr-auto" onClick={() => void onDelete()}>
            {t`Delete`}
          </Button>
        )}
        <Button size="md" onClick={onDone}>{t`Cancel`}</Button>
        <Button size="md" kind="primary" type="submit" busy={form.isSubmitting}>{t`Save alarm`}</Button>
      </div>
    </FormFrame>
  );
};

interface ConditionFieldsProps {
  form: RecordForm<RuleValues, AlarmRuleBody>;
  kind: FormKind;
  /** Of the figure. */
  unit: string;
}

/** The fields of the kind that was chosen. */
const ConditionFields = ({ form, kind, unit }: ConditionFieldsProps) => {
  const figure = {
    label: kind === 'time' ? t`Time` : kind === 'phase_share' ? t`Share` : t`Limit`,
    unit,
    required: true,
    ...form.field('figure'),
  };
  const changeKind = (next: FormKind) => {
    form.hookForm.setValue('figure', '', { shouldDirty: true });
    if (next === 'temperature') form.hookForm.setValue('channel', 'bean_temp', { shouldDirty: true });
  };
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FormField of={form} name="kind">
        {({ onChange, ...field }) => (
          <Select
            label={t`When`}
            choices={kindChoices}
            {...field}
            onChange={(next) => {
              changeKind(next);
              onChange(next);
            }}
          />
        )}
      </FormField>
      {kind === 'time' && (
        <FormField of={form} name="after">
          {(field) => <Select label={t`After`} choices={markChoices} {...field} />}
        </FormField>
      )}
      {kind === 'phase_share' && (
        <FormField of={form} name="phase">
          {(field) => <Select label={t`Phase`} choices={phaseChoices} {...field} />}
        </FormField>
      )}
      {(kind === 'temperature' || kind === 'channel_silent' || kind === 'channel_frozen') && (
        <FormField of={form} name="channel">
          {(field) => <Select label={t`Channel`} choices={channelChoices(kind)} {...field} />}
        </FormField>
      )}
      {(kind === 'temperature' || kind === 'rate_of_rise' || kind === 'reference_distance') && (
        <FormField of={form} name="side">
          {(field) => <Select label={t`Is`} choices={sideChoices} {...field} />}
        </FormField>
      )}
      {kind === 'time' ? <TextField {...figure} inputMode="text" /> : <NumberField {...figure} />}
      {!isArmedByItself(kind) && (
        <FormField of={form} name="armedAfter">
          {(field) => <Select label={t`From this mark on`} choices={markChoices} {...field} />}
        </FormField>
      )}
    </div>
  );
};
