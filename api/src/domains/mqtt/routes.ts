import { mqttAcl, mqttAuth } from '@roastery/contract/devices';
import type { Domain } from '../../app.ts';
import { mayConnect } from './may-connect.ts';
import { mayUseTopic } from './may-use-topic.ts';

const verdict = (may: boolean): 'allow' | 'deny' => (may ? 'allow' : 'deny');

/** Asked by the broker, in the shapes of EMQX 5. */
export const mqttRoutes: Domain = (routes) => {
  routes.forBroker(mqttAuth, async (context, { body }) => ({
    result: verdict(await mayConnect(context, body)),
    is_superuser: false,
  }));
  routes.forBroker(mqttAcl, (_, { body }) => ({ result: verdict(mayUseTopic(body)) }));
};
