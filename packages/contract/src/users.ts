import { z } from 'zod';
import { emailShape, passwordShape, userShape } from './auth.ts';
import { endpointsOf } from './endpoint.ts';
import { memberRoleShape } from './members.ts';
import { idShape, instantShape, lineShape, pageQuery } from './shapes.ts';

const endpoint = endpointsOf('Admin', 'admin');

export const listUsers = endpoint({
  name: 'listUsers',
  method: 'GET',
  path: '/admin/users',
  summary: 'All users',
  query: z.object({
    ...pageQuery(100),
    sort: z.enum(['created_at', '-created_at', 'full_name', '-full_name', 'email', '-email']).default('created_at'),
    status: z.enum(['active', 'inactive']).optional(),
  }),
  response: z.object({ users: z.array(userShape), total: z.number().int() }),
});

export const createUserShape = z.object({
  full_name: lineShape(120).min(1, 'Full name is required'),
  email: emailShape,
  password: passwordShape,
  /** Machines that the new user shares from the beginning. */
  machines: z
    .array(z.object({ machine_id: idShape, role: memberRoleShape }))
    .max(200)
    .refine((all) => new Set(all.map((one) => one.machine_id)).size === all.length, 'Name each machine once')
    .optional(),
});

export const createUser = endpoint({
  name: 'createUser',
  method: 'POST',
  path: '/admin/users',
  summary: 'Create an ordinary user',
  status: 201,
  body: createUserShape,
  response: userShape,
  errors: ['already_exists'],
});

export const updateUser = endpoint({
  name: 'updateUser',
  method: 'PATCH',
  path: '/admin/users/{id}',
  summary: 'Activate, deactivate, promote or rename a user; the last active admin can’t be removed',
  params: z.object({ id: idShape }),
  body: z.object({
    full_name: lineShape(120).min(1).optional(),
    is_active: z.boolean().optional(),
    is_admin: z.boolean().optional(),
  }),
  response: userShape,
  errors: ['not_found', 'last_admin'],
});

export const resetPassword = endpoint({
  name: 'resetPassword',
  method: 'POST',
  path: '/admin/users/{id}/reset-password',
  summary: 'Set a new random password, returned only once; ends all sessions of the user',
  params: z.object({ id: idShape }),
  response: z.object({ password: z.string() }),
  errors: ['not_found'],
});

export const adminStats = endpoint({
  name: 'adminStats',
  method: 'GET',
  path: '/admin/stats',
  summary: 'Totals of the whole roastery',
  response: z.object({
    total_users: z.number().int(),
    active_users: z.number().int(),
    total_machines: z.number().int(),
    active_machines: z.number().int(),
    total_roasts: z.number().int(),
    roasts_this_month: z.number().int(),
  }),
});

export const auditEntryShape = z.object({
  id: idShape,
  at: instantShape,
  /** Email of the person, serial number of the board, or `system`. */
  actor: z.string(),
  action: z.string(),
  subject: z.string().nullable(),
  address: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
});
export type AuditEntry = z.infer<typeof auditEntryShape>;

export const listAudit = endpoint({
  name: 'listAudit',
  method: 'GET',
  path: '/admin/audit',
  summary: 'The audit log, newest first',
  query: z.object({ ...pageQuery(100), action: lineShape(60).optional() }),
  response: z.object({ entries: z.array(auditEntryShape), total: z.number().int() }),
});
