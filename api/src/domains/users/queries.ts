import type { User } from '@roastery/contract/auth';
import { containing, type Sql } from '../../db/sql.ts';

export const userColumns = (sql: Sql) => sql`id, full_name, email, is_active, is_admin, created_at`;

export interface UserListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly q?: string | undefined;
  readonly status?: 'active' | 'inactive' | undefined;
  readonly sort: 'created_at' | '-created_at' | 'full_name' | '-full_name' | 'email' | '-email';
}

const orders = {
  created_at: (sql: Sql) => sql`created_at, id`,
  '-created_at': (sql: Sql) => sql`created_at DESC, id DESC`,
  full_name: (sql: Sql) => sql`lower(full_name), id`,
  '-full_name': (sql: Sql) => sql`lower(full_name) DESC, id DESC`,
  email: (sql: Sql) => sql`email`,
  '-email': (sql: Sql) => sql`email DESC`,
};

export const listUsers = async (sql: Sql, query: UserListQuery): Promise<{ users: User[]; total: number }> => {
  const search = query.q === undefined || query.q === '' ? undefined : containing(query.q);
  const where = sql`
    ${query.status === undefined ? sql`true` : sql`is_active = ${query.status === 'active'}`}
    ${search === undefined ? sql`` : sql`AND (full_name ILIKE ${search} OR email ILIKE ${search})`}`;
  const [count] = await sql<{ total: number }[]>`SELECT count(*) AS total FROM users WHERE ${where}`;
  const users = await sql<User[]>`
    SELECT ${userColumns(sql)} FROM users WHERE ${where}
     ORDER BY ${orders[query.sort](sql)} LIMIT ${query.limit} OFFSET ${query.offset}`;
  return { users, total: count?.total ?? 0 };
};
