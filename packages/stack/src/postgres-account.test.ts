import { describe, expect, it } from 'vitest';
import { parsePasswd, pickAccount } from './postgres-account.ts';

const accounts = parsePasswd(`root:x:0:0:root:/root:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
postgres:x:101:104:PostgreSQL:/var/lib/postgresql:/bin/bash
+::::::
roaster:x:1000:1000::/home/roaster:/bin/bash
`);

describe('account of Postgres when started by root', () => {
  it('is the owner of existing data', () => {
    expect(pickAccount(accounts, 1000)).toEqual({ name: 'roaster', uid: 1000, gid: 1000 });
  });
  it('is postgres, else nobody, for new data', () => {
    expect(pickAccount(accounts, undefined).name).toBe('postgres');
    expect(
      pickAccount(
        accounts.filter(({ name }) => name !== 'postgres'),
        0,
      ).name,
    ).toBe('nobody');
  });
  it('is never root', () => {
    expect(() => pickAccount(accounts.slice(0, 1), 0)).toThrow(/DATABASE_URL/);
  });
});
