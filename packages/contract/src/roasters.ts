import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { idShape, instantShape, messageShape } from './shapes.ts';

const endpoint = endpointsOf('Account');

/** Digits that a person types to be set as the roaster on a shared device. */
export const pinShape = z.string().regex(/^\d{4,12}$/, 'Use 4 to 12 digits');

export const roasterShape = z.object({ user_id: idShape, full_name: z.string(), has_pin: z.boolean() });
export type Roaster = z.infer<typeof roasterShape>;

const byMachine = z.object({ id: idShape });

export const listRoasters = endpoint({
  name: 'listRoasters',
  method: 'GET',
  path: '/machines/{id}/roasters',
  tag: 'Machines',
  summary: 'People who can be chosen as roaster of this machine, and the current one',
  right: 'see',
  params: byMachine,
  response: z.object({
    /** The roaster of the next roast; null: the machine’s owner. */
    current: roasterShape.nullable(),
    people: z.array(roasterShape),
  }),
  errors: ['not_found'],
});

export const setRoaster = endpoint({
  name: 'setRoaster',
  method: 'PUT',
  path: '/machines/{id}/roaster',
  tag: 'Machines',
  summary:
    'Choose the roaster at the machine: the running roast and the next ones name this person. Changes no permissions',
  right: 'roast',
  params: byMachine,
  body: z.object({
    user_id: idShape,
    /** PIN of that person; not needed for oneself, nor for people without one. */
    pin: pinShape.optional(),
  }),
  response: roasterShape,
  errors: ['not_found', 'too_many_requests'],
});

export const getPin = endpoint({
  name: 'getPin',
  method: 'GET',
  path: '/account/pin',
  summary: 'Whether the user has a PIN for shared devices, and the last time that wrong ones locked it',
  response: z.object({
    is_set: z.boolean(),
    /** Since the user has confirmed the last lock; null without one. */
    locked: z
      .object({
        at: instantShape,
        /** In whose session the PIN was typed. */
        by: z.string(),
        /** On all devices that have never known the user; else on one. */
        everywhere: z.boolean(),
        /** Wrong PINs in the last day. */
        wrong: z.number().int(),
      })
      .nullable(),
  }),
});

export const confirmPinLocks = endpoint({
  name: 'confirmPinLocks',
  method: 'POST',
  path: '/account/pin/locks-seen',
  summary: 'Confirm the notice that wrong PINs have locked the user’s PIN',
  response: messageShape,
});

export const setPin = endpoint({
  name: 'setPin',
  method: 'PUT',
  path: '/account/pin',
  summary: 'Set the PIN for shared devices. It identifies the roaster at a machine and does not sign in',
  body: z.object({ pin: pinShape, current_password: z.string().min(1, 'Current password is required').max(1024) }),
  response: messageShape,
  errors: ['wrong_credentials', 'too_many_requests'],
});

export const removePin = endpoint({
  name: 'removePin',
  method: 'DELETE',
  path: '/account/pin',
  summary: 'Remove the PIN',
  response: messageShape,
});
