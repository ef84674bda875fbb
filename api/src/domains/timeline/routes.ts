import * as contract from '@roastery/contract/timeline';
import type { Domain } from '../../app.ts';
import { makeRoast } from './make-roast.ts';
import { mergeRoasts } from './merge-roasts.ts';
import { readTimeline } from './read-timeline.ts';
import { splitRoast } from './split-roast.ts';

export const timelineRoutes: Domain = (routes) => {
  routes.forUser(contract.getTimeline, (context, { params, query }) => readTimeline(context, params.id, query));
  routes.forUser(contract.makeRoast, (context, { params, body }) => makeRoast(context, params.id, body));
  routes.forUser(contract.splitRoast, (context, { params, body }) => splitRoast(context, params.id, body.at));
  routes.forUser(contract.mergeRoasts, (context, { params, body }) => mergeRoasts(context, params.id, body.with));
};
