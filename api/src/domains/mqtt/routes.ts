import { mqttAcl, mqttAuth } from '@roastery/contract/devices';
import { serviceUserName } from '@roastery/contract/mqtt';
import type { Domain } from '../../app.ts';
import { mayConnect } from './may-connect.ts';
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
