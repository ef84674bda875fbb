import { mqttAcl, mqttAuth } from '@roastery/contract/devices';
import { clientIdOf, serviceUserName } from '@roastery/contract/mqtt';
import { createLogGate } from '@roastery/runtime/logger';
import type { Domain } from '../../app.ts';
import { boardActor, type RequestContext } from '../../context.ts';
import { recordAudit } from '../../db/audit.ts';
import { findMachineByToken } from '../../http/authenticate.ts';
import { isSameSecret } from '../../http/secrets.ts';
import { mayUseTopic } from './may-use-topic.ts';

const verdict = (may: boolean): 'allow' | 'deny' => (may ? 'allow' : 'deny');

/** Asked by the broker, in the shapes of EMQX 5. */
export const mqttRoutes: Domain = (routes) => {
  routes.forBroker(mqttAuth, async (context, { body }) => {
    const may = await mayConnect(context, body);
    // The broker gives the service's name to nobody but a superuser: the api itself.
    return { result: verdict(may), is_superuser: may && body.username === serviceUserName };
  });
  routes.forBroker(mqttAcl, (_, { body }) => ({ result: verdict(mayUseTopic(body)) }));
};

export interface ConnectWish {
  readonly clientid: string;
  readonly username: string;
  readonly password: string;
}

/** A wrong token is told once a minute and machine, not at each of its attempts. */
const refusalGate = createLogGate(60_000);

const isService = (context: RequestContext, wish: ConnectWish): boolean =>
  /^[\w-]{1,64}$/.test(wish.clientid) &&
  !wish.clientid.startsWith('board-') &&
  isSameSecret(wish.password, context.config.brokerSecret);

const isBoard = async (context: RequestContext, wish: ConnectWish): Promise<boolean> =>
  wish.clientid === clientIdOf(wish.username) &&
  (await findMachineByToken(context.sql, wish.username, wish.password)) !== undefined;

const wellFormed = (text: string): boolean => !/[\p{Surrogate}\0]/u.test(text);

/** Is the password this machine's token, and the client id the one bound to it? Refusals leave an audit row a minute. */
export const mayConnect = async (context: RequestContext, wish: ConnectWish): Promise<boolean> => {
  if (!wellFormed(wish.username) || !wellFormed(wish.clientid)) return false;
  const allowed = wish.username === serviceUserName ? isService(context, wish) : await isBoard(context, wish);
  if (allowed) return true;
  const held = refusalGate(wish.username);
  if (held !== undefined) {
    context.log.warn({ serialNumber: wish.username.slice(0, 64), held }, 'MQTT connection refused');
    await recordAudit(context.sql, boardActor(wish.username.slice(0, 64), null), {
      action: 'board.refused',
      detail: { attempts_before: held },
    });
  }
  return false;
};
