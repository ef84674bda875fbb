import { readFile, stat } from 'node:fs/promises';
import { codeOf } from './private-file.ts';

/** The account that Postgres runs under when it isn't our own. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Postgres refuses to run as root, so root runs it under another account: the owner of existing data, else `postgres`,
 * else `nobody`. Undefined: an ordinary user runs it under their own account.
 * @param dataFolder where the database's files are or will be
 * @throws with an instruction when no account fits
 */
export async function choosePostgresAccount(dataFolder: string): Promise<Account | undefined> {
  const ours = process.getuid?.();
  if (ours === undefined) return undefined;
  const owner = await ownerOf(dataFolder);
  if (ours !== 0) {
    if (owner !== undefined && owner.uid !== ours) {
      throw new Error(
        `The database in ${dataFolder} belongs to user ${owner.uid} and you are user ${ours}. ` +
          `Start as that user, or choose another folder with DATA_DIR=…`,
      );
    }
    return undefined;
  }
  const accounts = parsePasswd(await readFile('/etc/passwd', 'utf8'));
  return pickAccount(accounts, owner?.uid);
}

/** Chooses among the accounts of the machine and the owner of existing data. */
export function pickAccount(accounts: readonly Account[], ownerUid: number | undefined): Account {
  const byOwner = ownerUid === undefined || ownerUid === 0 ? undefined : accounts.find(({ uid }) => uid === ownerUid);
  const picked =
    byOwner ?? accounts.find(({ name }) => name === 'postgres') ?? accounts.find(({ name }) => name === 'nobody');
  if (picked === undefined || picked.uid === 0) {
    throw new Error(
      'Postgres refuses to run as root and this machine has no account "nobody" to lend it. Start as an ordinary user, or set DATABASE_URL.',
    );
  }
  return picked;
}

/** The lines of /etc/passwd: name:password:uid:gid:comment:home:shell. */
export function parsePasswd(text: string): Account[] {
  return text.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    if (name === undefined || !/^\d+$/.test(uid ?? '') || !/^\d+$/.test(gid ?? '')) return [];
    return [{ name, uid: Number(uid), gid: Number(gid) }];
  });
}

async function ownerOf(folder: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const { uid, gid } = await stat(folder);
    return { uid, gid };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
