import { massUnits } from '@roastery/roasting/units';
import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { idShape, instantShape, lineShape, messageShape } from './shapes.ts';

const endpoint = endpointsOf('Account');

export const userShape = z.object({
  id: idShape,
  /** Null where it was not given: pages show the email. */
  full_name: z.string().nullable(),
  email: z.string(),
  is_active: z.boolean(),
  is_admin: z.boolean(),
  created_at: instantShape,
});
export type User = z.infer<typeof userShape>;

export const emailShape = z.string().trim().toLowerCase().max(254).pipe(z.email('Enter an email address'));
/** At least 8 characters; long pass-phrases are welcome. The most common ones are refused by the server. */
export const passwordShape = z.string().min(8, 'Use at least 8 characters').max(1024);

export const preferencesShape = z.object({
  /** Temperatures are stored and sent in °C; this is the unit of the screens. */
  temperature_unit: z.enum(['C', 'F']),
  /** Weights are stored and sent in kg; this is the unit of the screens and inputs. */
  weight_unit: z.enum(massUnits),
  theme: z.enum(['system', 'light', 'dark']),
  /** BCP 47 tag of the region whose formats of dates, clock and numbers the portal reads and writes, e.g. `en-US`. */
  date_language: lineShape(35),
  rate_unit: z.enum(['per_minute', 'per_30_seconds']),
});
export type Preferences = z.infer<typeof preferencesShape>;

export const sessionUserShape = userShape.extend({
  preferences: preferencesShape,
  roastery_time_zone: z.string(),
  /** ISO 4217 code of all amounts of money. */
  roastery_currency: z.string(),
});
export type SessionUser = z.infer<typeof sessionUserShape>;

export const login = endpoint({
  name: 'login',
  method: 'POST',
  path: '/auth/login',
  tag: 'Auth',
  summary: 'Sign in with email and password; sets the session cookie',
  access: 'public',
  body: z.object({ email: emailShape, password: z.string().min(1, 'Password is required').max(1024) }),
  response: z.object({ user: sessionUserShape }),
  errors: ['wrong_credentials', 'account_inactive'],
});

export const logout = endpoint({
  name: 'logout',
  method: 'POST',
  path: '/auth/logout',
  tag: 'Auth',
  summary: 'End this session; also succeeds without a session',
  access: 'public',
  response: messageShape,
});

export const me = endpoint({
  name: 'me',
  method: 'GET',
  path: '/auth/me',
  tag: 'Auth',
  summary: 'The signed-in user',
  response: sessionUserShape,
});

export const sessionShape = z.object({
  id: idShape,
  created_at: instantShape,
  last_seen_at: instantShape,
  address: z.string().nullable(),
  user_agent: z.string().nullable(),
  is_current: z.boolean(),
});
export type Session = z.infer<typeof sessionShape>;

export const listSessions = endpoint({
  name: 'listSessions',
  method: 'GET',
  path: '/account/sessions',
  summary: 'The user’s sessions, newest first',
  response: z.object({ sessions: z.array(sessionShape) }),
});

export const endSession = endpoint({
  name: 'endSession',
  method: 'DELETE',
  path: '/account/sessions/{id}',
  summary: 'End one of the user’s sessions',
  params: z.object({ id: idShape }),
  response: messageShape,
});

export const changePasswordShape = z.object({
  current_password: z.string().min(1, 'Current password is required').max(1024),
  new_password: passwordShape,
});

export const changePassword = endpoint({
  name: 'changePassword',
  method: 'POST',
  path: '/account/password',
  summary: 'Change the user’s password; every other session ends',
  body: changePasswordShape,
  response: messageShape,
  errors: ['wrong_credentials'],
});

export const updatePreferences = endpoint({
  name: 'updatePreferences',
  method: 'PATCH',
  path: '/account/preferences',
  summary: 'Change units, theme and region',
  body: preferencesShape.partial(),
  response: preferencesShape,
});
