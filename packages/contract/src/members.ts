import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { idShape, lineShape, messageShape } from './shapes.ts';

const endpoint = endpointsOf('Machines');

/** The right that the owner of a machine or an admin gives to another person. */
export const memberRoles = ['roaster', 'viewer'] as const;
export const memberRoleShape = z.enum(memberRoles);
export type MemberRole = z.infer<typeof memberRoleShape>;

export const machineMemberShape = z.object({
  user_id: idShape,
  full_name: z.string(),
  /** Null for users who may not manage the machine. */
  email: z.string().nullable(),
  role: z.enum(['owner', ...memberRoles]),
  is_active: z.boolean(),
});
export type MachineMember = z.infer<typeof machineMemberShape>;

const byMachine = z.object({ id: idShape });
const byMember = z.object({ id: idShape, user_id: idShape });

export const listMachineMembers = endpoint({
  name: 'listMachineMembers',
  method: 'GET',
  path: '/machines/{id}/members',
  summary: 'The people of a machine: its owner, then its members by name',
  right: 'see',
  params: byMachine,
  response: z.object({
    members: z.array(machineMemberShape),
    /** The roastery’s setting: every user is a roaster of every machine. */
    all_users: z.boolean(),
  }),
  errors: ['not_found'],
});

export const listMemberCandidates = endpoint({
  name: 'listMemberCandidates',
  method: 'GET',
  path: '/machines/{id}/members/candidates',
  summary: 'Active users who are not members of the machine yet, by name; at most 50',
  right: 'manage',
  params: byMachine,
  query: z.object({ q: lineShape(200).optional() }),
  response: z.object({ users: z.array(z.object({ user_id: idShape, full_name: z.string(), email: z.string() })) }),
  errors: ['not_found'],
});

export const putMachineMember = endpoint({
  name: 'putMachineMember',
  method: 'PUT',
  path: '/machines/{id}/members/{user_id}',
  summary: 'Add a person to a machine, or change the role; roasters plan, mark and edit, viewers see',
  right: 'manage',
  params: byMember,
  body: z.object({ role: memberRoleShape }),
  response: machineMemberShape,
  errors: ['not_found', 'conflict'],
});

export const removeMachineMember = endpoint({
  name: 'removeMachineMember',
  method: 'DELETE',
  path: '/machines/{id}/members/{user_id}',
  summary: 'Remove a person from a machine; their live streams end',
  right: 'manage',
  params: byMember,
  response: messageShape,
  errors: ['not_found'],
});
