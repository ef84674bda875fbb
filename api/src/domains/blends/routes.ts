import * as contract from '@roastery/contract/blends';
import type { Domain } from '../../app.ts';
import { containing } from '../../db/sql.ts';
import { notFound } from '../../http/app-error.ts';
import { readBlend, readBlends } from './blend-row.ts';
import { readBlendableRoasts } from './blendable-roasts.ts';
import { createBlend, deleteBlend, updateBlend } from './save-blend.ts';

const searchOf = (q: string | undefined): string | undefined =>
  q === undefined || q === '' ? undefined : containing(q.replace(/^#/, ''));

export const blendRoutes: Domain = (routes) => {
  routes.forUser(contract.listBlends, ({ sql, user }, { query: { q, limit, offset } }) =>
    readBlends(sql, user, { search: searchOf(q), limit, offset }),
  );
  routes.forUser(contract.listBlendableRoasts, ({ sql, user }, { query: { q, limit, offset, blend_id: blendId } }) =>
    readBlendableRoasts(sql, user, { search: searchOf(q), limit, offset, blendId }),
  );
  routes.forUser(contract.getBlend, async ({ sql, user }, { params }) => {
    const blend = await readBlend(sql, user, params.id);
    if (blend === undefined) throw notFound('Blend');
    return blend;
  });
  routes.forUser(contract.createBlend, (context, { body }) => createBlend(context, body));
  routes.forUser(contract.updateBlend, (context, { params, body }) => updateBlend(context, params.id, body));
  routes.forUser(contract.deleteBlend, (context, { params }) => deleteBlend(context, params.id));
};
