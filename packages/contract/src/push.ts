import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { idShape, instantShape, messageShape } from './shapes.ts';

const endpoint = endpointsOf('Account');

const base64url = (bytes: number) =>
  z
    .string()
    .regex(/^[\w-]+$/)
    .max(Math.ceil((bytes * 4) / 3));

/** A browser's subscription, as its `PushSubscription` has it. */
export const pushSubscriptionShape = z.object({
  endpoint: z.url({ protocol: /^https?$/ }).max(2000),
  p256dh: base64url(65),
  auth: base64url(16),
});

export const pushDeviceShape = z.object({
  id: idShape,
  endpoint: z.string(),
  user_agent: z.string().nullable(),
  created_at: instantShape,
});
export type PushDevice = z.infer<typeof pushDeviceShape>;

export const maxPushDevices = 20;

export const getPush = endpoint({
  name: 'getPush',
  method: 'GET',
  path: '/account/push',
  summary: 'The key for push subscriptions, and the browsers that the user has subscribed',
  response: z.object({ public_key: z.string(), devices: z.array(pushDeviceShape) }),
});

export const subscribePush = endpoint({
  name: 'subscribePush',
  method: 'POST',
  path: '/account/push',
  summary: 'Send alarms to this browser; a browser of another user becomes this user’s',
  status: 201,
  body: pushSubscriptionShape,
  response: pushDeviceShape,
  errors: ['conflict'],
});

export const unsubscribePush = endpoint({
  name: 'unsubscribePush',
  method: 'DELETE',
  path: '/account/push/{id}',
  summary: 'Stop sending alarms to a browser of the user',
  params: z.object({ id: idShape }),
  response: messageShape,
  errors: ['not_found'],
});
