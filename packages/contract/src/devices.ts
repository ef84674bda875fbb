import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { machineMapShape } from './machine-map.ts';
import { idShape, instantShape } from './shapes.ts';

/** What a board needs to know beyond its environment file; it keeps the answer for starts without a network. */
export const deviceSelf = endpoint({
  name: 'deviceSelf',
  method: 'GET',
  path: '/devices/me',
  tag: 'Devices',
  summary: 'The machine behind a credential, and where its broker is',
  access: 'device',
  response: z.object({
    machine_id: idShape,
    serial_number: z.string(),
    display_name: z.string(),
    mqtt_url: z.string(),
    server_time: instantShape,
    map: machineMapShape.nullable(),
  }),
});

const brokerText = z.string().max(1024);

/** Shapes of EMQX 5's HTTP authentication and authorisation, so that the broker can be replaced by configuration. */
export const mqttAuth = endpoint({
  name: 'mqttAuth',
  method: 'POST',
  path: '/mqtt/auth',
  tag: 'MQTT',
  summary: 'May this client connect?',
  access: 'broker',
  body: z.object({ clientid: brokerText, username: brokerText.default(''), password: brokerText.default('') }),
  response: z.object({ result: z.enum(['allow', 'deny']), is_superuser: z.boolean() }),
});

export const mqttAcl = endpoint({
  name: 'mqttAcl',
  method: 'POST',
  path: '/mqtt/acl',
  tag: 'MQTT',
  summary: 'May this client publish to, or subscribe to, this topic?',
  access: 'broker',
  body: z.object({
    clientid: brokerText,
    username: brokerText.default(''),
    topic: brokerText,
    action: z.enum(['publish', 'subscribe']),
  }),
  response: z.object({ result: z.enum(['allow', 'deny']) }),
});
