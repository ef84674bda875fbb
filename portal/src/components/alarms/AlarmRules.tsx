import {
  armingMarks,
  createMachineAlarmRule,
  createRecipeAlarmRule,
  deleteMachineAlarmRule,
  deleteRecipeAlarmRule,
  listMachineAlarmRules,
  listRecipeAlarmRules,
  updateMachineAlarmRule,
  updateRecipeAlarmRule,
  type AlarmRule,
  type AlarmRuleBody,
} from '@roastery/contract/alarm-rules';
import { Pencil, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { useApi, useInOrder, refresh } from '../../api/use-api.ts';
import { usePreferences } from '../../format/preferences.ts';
import { t } from '../../language/t.ts';
import { Button } from '../../ui/Button.tsx';
import { Skeleton } from '../../ui/Card.tsx';
import { Switch } from '../../ui/Checkbox.tsx';
import { classes } from '../../ui/classes.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { toast } from '../../ui/toast.ts';
import { ErrorLine } from '../ErrorState.tsx';
import { attempt } from '../attempt.ts';
import { useChosen } from '../saved-fields.tsx';
import { alarmTones } from './alarm-texts.ts';
import { AlarmRuleForm } from './AlarmRuleForm.tsx';
import { ruleText } from './rule-texts.ts';

/** The owner of the rules. */
export interface RuleHolder {
  readonly kind: 'machine' | 'recipe';
  readonly id: string;
}

const endpointsOf = ({ kind }: RuleHolder) =>
  kind === 'machine'
    ? {
        list: listMachineAlarmRules,
        create: createMachineAlarmRule,
        update: updateMachineAlarmRule,
        remove: deleteMachineAlarmRule,
      }
    : {
        list: listRecipeAlarmRules,
        create: createRecipeAlarmRule,
        update: updateRecipeAlarmRule,
        remove: deleteRecipeAlarmRule,
      };

/** Rules without figures, off until a person switches them on. */
const readyMade: readonly AlarmRuleBody[] = [
  {
    condition: { kind: 'rate_crash' },
    armed_after: 'turning_point',
    message: t`Rate of rise crashes`,
    colour: 'amber',
    sound: true,
    push: false,
    is_enabled: true,
  },
  {
    condition: { kind: 'rate_flick' },
    armed_after: 'turning_point',
    message: t`Rate of rise flicks`,
    colour: 'amber',
    sound: true,
    push: false,
    is_enabled: true,
  },
];

const saveFailed = t`The alarm could not be saved`;

const isReadyMade = ({ condition: { kind } }: AlarmRule): boolean => kind === 'rate_crash' || kind === 'rate_flick';

const bodyOf = ({ id: _id, revision: _revision, armed_after, ...rule }: AlarmRule): AlarmRuleBody => ({
  ...rule,
  armed_after: armingMarks.find((mark) => mark === armed_after) ?? 'charge',
});

/** The alarm rules of a machine or a recipe. Users without the right to change them can view them. */
export const AlarmRules = ({ holder, mayEdit }: { holder: RuleHolder; mayEdit: boolean }) => {
  const { list, create, update, remove } = endpointsOf(holder);
  const { data, error, mutate } = useApi(list, { params: { id: holder.id } });
  const units = usePreferences();
  const [edited, setEdited] = useState<AlarmRule | 'new' | null>(null);
  const { inOrder } = useInOrder();
  /** The rules after the last switch: the next one may follow before the list is read again. */
  const switched = useRef(new Map<string, AlarmRule>());

  const change = async (work: () => Promise<unknown>, failed: string): Promise<void> => {
    await attempt(work, failed, [list]);
  };
  const store = (body: AlarmRuleBody, rule?: AlarmRule): Promise<AlarmRule> =>
    rule === undefined
      ? call(create, { params: { id: holder.id }, body })
      : call(update, { params: { id: holder.id, rule_id: rule.id }, body: { ...body, revision: rule.revision } });
  const turn = (key: string, body: AlarmRuleBody, rule?: AlarmRule) =>
    inOrder(() => {
      const last = switched.current.get(key);
      switched.current.delete(key);
      const isNewer = last !== undefined && last.revision > (rule?.revision ?? 0);
      return change(async () => switched.current.set(key, await store(body, isNewer ? last : rule)), saveFailed);
    });
  const drop = (rule: AlarmRule) =>
    change(
      async () => {
        await call(remove, { params: { id: holder.id, rule_id: rule.id } });
        setEdited(null);
        toast(t`Alarm “${rule.message}” deleted`, {
          action: { label: t`Undo`, run: () => void change(() => store(bodyOf(rule)), saveFailed) },
          stays: 10_000,
        });
      },
      t`The alarm could not be deleted`,
    );

  if (data === undefined) {
    if (error === undefined) return <Skeleton className="h-24 w-full" />;
    return <ErrorLine title={t`The alarms could not be loaded`} error={error} onRetry={() => void mutate()} />;
  }
  if (edited !== null) {
    return (
      <AlarmRuleForm
        key={edited === 'new' ? 'new' : edited.id}
        rule={edited === 'new' ? null : edited}
        onDone={() => setEdited(null)}
        onDelete={async () => (edited === 'new' ? undefined : drop(edited))}
        onSave={async (body) => {
          const rule = edited === 'new' ? undefined : edited;
          await store({ ...body, is_enabled: rule?.is_enabled ?? true }, rule);
          await refresh(list);
        }}
      />
    );
  }
  const own = data.rules.filter((rule) => !isReadyMade(rule));
  return (
    <div data-testid="alarm-rules" className="flex flex-col gap-3">
      <ul className="divide-y divide-stroke" aria-label={t`Alarms`}>
        {own.map((rule) => (
          <RuleRow
            key={rule.id}
            name={rule.message}
            text={ruleText(rule, units)}
            colour={rule.colour}
            isOn={rule.is_enabled}
            {...(mayEdit && {
              onSwitch: (isOn: boolean) => turn(rule.id, { ...bodyOf(rule), is_enabled: isOn }, rule),
              onEdit: () => setEdited(rule),
            })}
          />
        ))}
        {readyMade.map((body) => {
          const rule = data.rules.find(({ condition }) => condition.kind === body.condition.kind);
          return (
            <RuleRow
              key={body.condition.kind}
              name={body.message}
              text={t`Ready-made. ${ruleText({ ...body, armed_after: 'charge' }, units)}.`}
              colour={body.colour}
              isOn={rule?.is_enabled ?? false}
              {...(mayEdit && {
                onSwitch: (isOn: boolean) => turn(body.condition.kind, { ...body, is_enabled: isOn }, rule),
              })}
            />
          );
        })}
      </ul>
      {mayEdit && (
        <Button size="md" icon={<Plus aria-hidden />} className="self-start" onClick={() => setEdited('new')}>
          {t`Add alarm`}
        </Button>
      )}
    </div>
  );
};

interface RuleRowProps {
  name: string;
  text: string;
  colour: AlarmRule['colour'];
  isOn: boolean;
  /** Absent for users who may only view the rules. */
  onSwitch?: (isOn: boolean) => Promise<unknown>;
  onEdit?: () => void;
}

const RuleRow = ({ name, text, colour, isOn, onSwitch, onEdit }: RuleRowProps) => {
  const [isShownOn, turn] = useChosen(isOn, (next: boolean) => onSwitch?.(next));
  return (
    <li className="flex min-h-14 items-center gap-3 py-2">
      <span aria-hidden className={classes('size-3 shrink-0 rounded-full border-2', alarmTones[colour].ground)} />
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere text-strong">{name}</p>
        <p className="text-sm text-muted">{text}</p>
      </div>
      {onSwitch === undefined ? (
        <span className="text-sm text-muted">{isOn ? t`On` : t`Off`}</span>
      ) : (
        <Switch label={<span className="sr-only">{t`${name} on`}</span>} checked={isShownOn} onChange={turn} />
      )}
      {onEdit !== undefined && <IconButton label={t`Edit ${name}`} icon={<Pencil aria-hidden />} onClick={onEdit} />}
    </li>
  );
};
