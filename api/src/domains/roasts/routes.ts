import { betweenBatches } from '@roastery/contract/between-batches';
import { getRoastCurve, getRoastCurveColumns } from '@roastery/contract/roast-curves';
import { getLearntCrack } from '@roastery/contract/roast-forecasts';
import * as marks from '@roastery/contract/roast-marks';
import * as contract from '@roastery/contract/roasts';
import * as timeline from '@roastery/contract/timeline';
import type { Domain } from '../../app.ts';
import type { UserContext } from '../../context.ts';
import { notFound } from '../../http/app-error.ts';
import { JsonPieces } from '../../http/streamed-answer.ts';
import { readBetweenBatches } from './between-batches.ts';
import { curveColumns, curveColumnsJson, curveDatapoints, curveDatapointsJson } from './curves/curve-answers.ts';
import { deleteRoast, setFavorite } from './commands.ts';
import { discardRoast, restoreRoast } from './life/discard-roast.ts';
import { readPredictedCrack } from './marks/predicted-first-crack.ts';
import { listRoasts } from './list-roasts.ts';
import { type CurveMargins, gapsOf, openCurve, type OpenedCurve, wholeCurve } from './curves/roast-curve.ts';
import { readRoast } from './roast-row.ts';
import { deleteMark, putMark } from './marks/set-mark.ts';
import { updateRoast } from './update-roast.ts';

const curveOf = async ({ sql, user }: UserContext, id: string, margins: CurveMargins): Promise<OpenedCurve> => {
  const curve = await openCurve(sql, user, id, margins);
  if (curve === undefined) throw notFound('Roast');
  return curve;
};

export const roastRoutes: Domain = (routes) => {
  routes.forUser(contract.listRoasts, ({ sql, user }, { query }) => listRoasts(sql, user, query));
  routes.forUser(betweenBatches, ({ sql, user }, { params }) => readBetweenBatches(sql, user, params.id));
  routes.forUser(contract.getRoast, async ({ sql, user }, { params }) => {
    const found = await readRoast(sql, params.id, user);
    if (found === undefined) throw notFound('Roast');
    return found.roast;
  });
  routes.forUser(getRoastCurve, async (context, { params, query }) => {
    const opened = await curveOf(context, params.id, query);
    if (opened.isLong) return new JsonPieces(curveDatapointsJson(opened));
    return { datapoints: curveDatapoints(await wholeCurve(opened)) };
  });
  routes.forUser(getRoastCurveColumns, async (context, { params, query }) => {
    const opened = await curveOf(context, params.id, query);
    const gaps = gapsOf(context.sql, opened);
    // The caller receives their failure, unless the client has disconnected before.
    gaps.catch(() => undefined);
    if (opened.isLong) return new JsonPieces(curveColumnsJson(opened, gaps));
    return curveColumns(await wholeCurve(opened), await gaps);
  });
  routes.forUser(getLearntCrack, async ({ sql, user }, { params }) => {
    const learnt = await readPredictedCrack(sql, params.id, user);
    if (learnt === undefined) throw notFound('Roast');
    return learnt;
  });
  routes.forUser(contract.updateRoast, (context, { params, body }) => updateRoast(context, params.id, body));
  routes.forUser(contract.deleteRoast, (context, { params }) => deleteRoast(context, params.id));
  routes.forUser(timeline.discardRoast, (context, { params }) => discardRoast(context, params.id));
  routes.forUser(timeline.restoreRoast, (context, { params }) => restoreRoast(context, params.id));
  routes.forUser(marks.putMark, (context, { params, body }) => putMark(context, params.id, params.kind, body));
  routes.forUser(marks.deleteMark, (context, { params }) => deleteMark(context, params.id, params.kind));
  routes.forUser(contract.setRoastFavorite, (context, { params, body }) =>
    setFavorite(context, params.id, body.is_favorite),
  );
};
