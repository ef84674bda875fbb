import { type Option, optionCategories } from '@roastery/contract/settings';
import { uuidV7 } from '@roastery/runtime/uuid';
import { actorOf, recordAudit } from '../../db/audit.ts';
import type { UserContext } from '../../context.ts';
import { isTaken } from '../../db/postgres-errors.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, notFound } from '../../http/app-error.ts';
import { defaultOptions } from './default-options.ts';

export const listOptions = (sql: Sql, category: Option['category'], activeOnly: boolean): Promise<Option[]> =>
  sql<Option[]>`
    SELECT id, category, value, description, sort_order, is_active FROM options
     WHERE category = ${category} AND (is_active OR ${!activeOnly}) ORDER BY sort_order, value`;

export interface OptionForm {
  readonly category: Option['category'];
  readonly value: string;
  readonly description?: string | null | undefined;
  readonly sort_order?: number | undefined;
  readonly is_active: boolean;
}

/** Adds an option; without a position of its own it comes after the existing ones. */
export const createOption = async (context: UserContext, form: OptionForm): Promise<Option> => {
  try {
    return await context.sql.begin(async (tx) => {
      const [option] = await tx<Option[]>`
        INSERT INTO options (id, category, value, description, sort_order, is_active)
        VALUES (${uuidV7()}, ${form.category}, ${form.value}, ${form.description ?? null},
                coalesce(${form.sort_order ?? null}::integer,
                         (SELECT count(*) + 1 FROM options WHERE category = ${form.category})), ${form.is_active})
        RETURNING id, category, value, description, sort_order, is_active`;
      if (!option) throw new Error('the option just created is not there');
      await recordAudit(tx, actorOf(context), {
        action: 'option.created',
        subject: option.id,
        detail: { category: option.category, value: option.value },
      });
      return option;
    });
  } catch (error) {
    if (!isTaken(error)) throw error;
    throw new AppError('already_exists', `“${form.value}” is already in the list.`);
  }
};

export const deleteOption = async (context: UserContext, id: string): Promise<{ message: string }> =>
  context.sql.begin(async (tx) => {
    const [option] = await tx<{ category: string; value: string }[]>`
      DELETE FROM options WHERE id = ${id} RETURNING category, value`;
    if (!option) throw notFound('Option');
    await recordAudit(tx, actorOf(context), { action: 'option.deleted', subject: id, detail: { ...option } });
    return { message: `${option.value} was deleted.` };
  });

/** Adds the missing default options; existing ones stay unchanged. */
export const seedDefaults = async (context: UserContext): Promise<{ message: string }> =>
  context.sql.begin(async (tx) => {
    let added = 0;
    let kept = 0;
    for (const category of optionCategories) {
      for (const [index, value] of defaultOptions[category].entries()) {
        const rows = await tx`
          INSERT INTO options (id, category, value, sort_order) VALUES (${uuidV7()}, ${category}, ${value}, ${index + 1})
          ON CONFLICT (category, value) DO NOTHING RETURNING id`;
        if (rows.length > 0) added += 1;
        else kept += 1;
      }
    }
    await recordAudit(tx, actorOf(context), { action: 'option.defaults_seeded', detail: { added, kept } });
    return {
      message:
        added === 0 ? `All ${kept} defaults are already there.` : `Defaults seeded: ${added} added, ${kept} kept.`,
    };
  });
