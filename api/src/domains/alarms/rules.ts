import * as contract from '@roastery/contract/alarm-rules';
import { type AlarmRule, type AlarmRuleBody, maxAlarmRules } from '@roastery/contract/alarm-rules';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { Routes } from '../../app.ts';
import type { UserContext } from '../../context.ts';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { requireMachine } from '../../identity/access.ts';

/** The owner of a rule. */
interface Holder {
  readonly column: 'machine_id' | 'profile_id';
  readonly id: string;
}
const machine = (id: string): Holder => ({ column: 'machine_id', id });
const recipe = (id: string): Holder => ({ column: 'profile_id', id });

export const mountAlarmRules = (routes: Routes): void => {
  routes.forUser(contract.listMachineAlarmRules, (context, { params }) => listRules(context, machine(params.id)));
  routes.forUser(contract.createMachineAlarmRule, (context, { params, body }) =>
    createRule(context, machine(params.id), body),
  );
  routes.forUser(contract.updateMachineAlarmRule, (context, { params, body }) =>
    updateRule(context, machine(params.id), params.rule_id, body),
  );
  routes.forUser(contract.deleteMachineAlarmRule, (context, { params }) =>
    deleteRule(context, machine(params.id), params.rule_id),
  );
  routes.forUser(contract.listRecipeAlarmRules, (context, { params }) => listRules(context, recipe(params.id)));
  routes.forUser(contract.createRecipeAlarmRule, (context, { params, body }) =>
    createRule(context, recipe(params.id), body),
  );
  routes.forUser(contract.updateRecipeAlarmRule, (context, { params, body }) =>
    updateRule(context, recipe(params.id), params.rule_id, body),
  );
  routes.forUser(contract.deleteRecipeAlarmRule, (context, { params }) =>
    deleteRule(context, recipe(params.id), params.rule_id),
  );
};

/**
 * Rules of a machine need its rights. Those of a recipe are part of the recipe, which every user may edit. The row is
 * locked, so that two concurrent rules can't exceed the limit.
 */
const requireHolder = async ({ user }: UserContext, sql: Sql, holder: Holder, right: 'see' | 'roast') => {
  const lock = right === 'roast' ? sql`FOR NO KEY UPDATE` : sql``;
  if (holder.column === 'machine_id') {
    await requireMachine(sql, user, holder.id, right);
    await sql`SELECT 1 FROM machines WHERE id = ${holder.id} ${lock}`;
    return;
  }
  const [found] = await sql`SELECT 1 FROM profiles WHERE id = ${holder.id} AND archived_at IS NULL ${lock}`;
  if (found === undefined) throw notFound('Recipe');
};

const readRules = async (sql: Sql, holder: Holder): Promise<AlarmRule[]> => {
  const rows = await sql<AlarmRule[]>`
    SELECT id, condition, armed_after, message, colour, sound, push, is_enabled, revision FROM alarm_rules
     WHERE ${sql(holder.column)} = ${holder.id} ORDER BY created_at, id`;
  return [...rows];
};

const mustFindRule = async (sql: Sql, holder: Holder, id: string): Promise<AlarmRule> => {
  const rule = (await readRules(sql, holder)).find((one) => one.id === id);
  if (rule === undefined) throw notFound('Alarm rule');
  return rule;
};

const listRules = async (context: UserContext, holder: Holder): Promise<{ rules: AlarmRule[] }> => {
  await requireHolder(context, context.sql, holder, 'see');
  return { rules: await readRules(context.sql, holder) };
};

const columnsOf = (sql: Sql, { condition, ...rest }: AlarmRuleBody) => ({ ...rest, condition: sql.json(condition) });

const detailOf = (holder: Holder, { message, condition, is_enabled }: AlarmRuleBody) => ({
  [holder.column]: holder.id,
  message,
  condition: condition.kind,
  is_enabled,
});

/** At most one of each kind: the portal has a switch for it. */
const isReadyMade = (kind: AlarmRule['condition']['kind']): boolean => kind === 'rate_crash' || kind === 'rate_flick';

const createRule = (context: UserContext, holder: Holder, body: AlarmRuleBody): Promise<AlarmRule> =>
  context.sql.begin(async (tx) => {
    await requireHolder(context, tx, holder, 'roast');
    const rules = await readRules(tx, holder);
    const { kind } = body.condition;
    if (isReadyMade(kind) && rules.some(({ condition }) => condition.kind === kind)) {
      throw new AppError('changed_meanwhile', 'This alarm has just been turned on. Reload it.');
    }
    if (rules.length >= maxAlarmRules) {
      throw new AppError('conflict', `There are already ${maxAlarmRules} rules. Delete one first.`);
    }
    const id = uuidV7();
    const row = { id, [holder.column]: holder.id, created_by: context.user.id, ...columnsOf(tx, body) };
    await tx`INSERT INTO alarm_rules ${tx(row)}`;
    await recordAudit(tx, actorOf(context), {
      action: 'alarm_rule.created',
      subject: id,
      detail: detailOf(holder, body),
    });
    return mustFindRule(tx, holder, id);
  });

const updateRule = (
  context: UserContext,
  holder: Holder,
  id: string,
  { revision, ...body }: AlarmRuleBody & { revision?: number | undefined },
): Promise<AlarmRule> =>
  context.sql.begin(async (tx) => {
    await requireHolder(context, tx, holder, 'roast');
    const before = await mustFindRule(tx, holder, id);
    if (revision !== undefined && revision !== before.revision) {
      throw new AppError('changed_meanwhile', 'Another user has changed this rule. Reload it and repeat your change.');
    }
    await tx`
      UPDATE alarm_rules SET ${tx(columnsOf(tx, body))}, changed_at = now(), revision = revision + 1 WHERE id = ${id}`;
    await recordAudit(tx, actorOf(context), {
      action: 'alarm_rule.changed',
      subject: id,
      detail: detailOf(holder, body),
    });
    return mustFindRule(tx, holder, id);
  });

const deleteRule = (context: UserContext, holder: Holder, id: string): Promise<{ message: string }> =>
  context.sql.begin(async (tx) => {
    await requireHolder(context, tx, holder, 'roast');
    const { message } = await mustFindRule(tx, holder, id);
    await tx`DELETE FROM alarm_rules WHERE id = ${id}`;
    await recordAudit(tx, actorOf(context), {
      action: 'alarm_rule.deleted',
      subject: id,
      detail: { [holder.column]: holder.id, message },
    });
    return { message: 'The alarm rule was deleted.' };
  });
