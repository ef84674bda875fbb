import { mqttAcl, mqttAuth, type MqttVerdict } from '@roastery/contract/devices';
import { clientIdOf, serviceUserName } from '@roastery/contract/mqtt';
import { createLogGate } from '@roastery/runtime/logger';
import type { Domain } from '../../app.ts';
import { boardActor, recordAudit } from '../../db/audit.ts';
import type { RequestContext } from '../../context.ts';
import { findMachineByToken } from '../../http/authenticate.ts';
import { isSameSecret } from '../../http/secrets.ts';
import { mayUseTopic, topicsOfBoard } from './may-use-topic.ts';

/** Requested by the broker, in the shapes of EMQX 5. */
export const mqttRoutes: Domain = (routes) => {
  routes.forBroker(mqttAuth, async (context, { body }): Promise<MqttVerdict> => {
    const may = await mayConnect(context, body);
    if (!may) return { result: 'deny', is_superuser: false };
    // Only the api itself, a superuser of the broker, connects under the service's name.
    if (body.username === serviceUserName) return { result: 'allow', is_superuser: true };
    return { result: 'allow', is_superuser: false, acl: topicsOfBoard(body.username) };
  });
  routes.forBroker(mqttAcl, (_, { body }) => ({ result: mayUseTopic(body) ? ('allow' as const) : ('deny' as const) }));
};

export interface ConnectRequest {
  readonly clientid: string;
  readonly username: string;
  readonly password: string;
}

/** A wrong token is logged once a minute and machine, not at each attempt. */
const refusalGate = createLogGate(60_000);

const isService = (context: RequestContext, request: ConnectRequest): boolean =>
  /^[\w-]{1,64}$/.test(request.clientid) &&
  !request.clientid.startsWith('board-') &&
  isSameSecret(request.password, context.config.brokerSecret);

const isBoard = async (context: RequestContext, request: ConnectRequest): Promise<boolean> =>
  request.clientid === clientIdOf(request.username) &&
  (await findMachineByToken(context.sql, request.username, request.password)) !== undefined;

const wellFormed = (text: string): boolean => !/[\p{Surrogate}\0]/u.test(text);

/**
 * Whether the password is this machine's token, and the client id the one bound to it. Refusals write one audit row per
 * minute.
 */
export const mayConnect = async (context: RequestContext, request: ConnectRequest): Promise<boolean> => {
  if (!wellFormed(request.username) || !wellFormed(request.clientid)) return false;
  const allowed = request.username === serviceUserName ? isService(context, request) : await isBoard(context, request);
  if (allowed) return true;
  const held = refusalGate(request.username);
  if (held !== undefined) {
    context.log.warn({ serialNumber: request.username.slice(0, 64), held }, 'MQTT connection refused');
    await recordAudit(context.sql, boardActor(request.username.slice(0, 64), null), {
      action: 'board.refused',
      detail: { attempts_before: held },
    });
  }
  return false;
};
