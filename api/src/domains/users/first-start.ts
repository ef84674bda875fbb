import { ConfigError } from '@roastery/runtime/env';
import { uuidV7 } from '@roastery/runtime/uuid';
import type { AppContext } from '../../context.ts';
import { recordAudit, systemActor } from '../../db/audit.ts';
import type { Sql } from '../../db/sql.ts';
import { serverTimeZone } from '../../format/format.ts';
import { AppError } from '../../http/app-error.ts';
import { hashPassword, randomPassword, refuseCommonPassword } from '../../identity/passwords.ts';

const firstStartLock = 7_265_401_123;
const unnamedAdmin = 'admin@roastery.local';

export interface FirstAdmin {
  readonly email: string;
  /** Only when it was generated here: it is shown once. */
  readonly madeUpPassword: string | undefined;
}

const checkGivenPassword = (password: string, email: string): void => {
  try {
    refuseCommonPassword(password, email, 'ADMIN_PASSWORD');
  } catch (error) {
    if (error instanceof AppError) throw new ConfigError(`ADMIN_PASSWORD: ${error.message}`);
    throw error;
  }
};

const addAdmin = async (tx: Sql, email: string, password: string): Promise<void> => {
  const id = uuidV7();
  await tx`
    INSERT INTO users (id, full_name, email, password_hash, is_admin)
    VALUES (${id}, 'Administrator', ${email}, ${await hashPassword(password)}, true)
    ON CONFLICT (email) DO UPDATE SET is_admin = true, is_active = true, password_hash = EXCLUDED.password_hash`;
  await recordAudit(tx, systemActor, { action: 'user.first_admin_created', subject: id, detail: { email } });
};

/**
 * Creates the settings row of an empty database (days are counted in the server's time zone until a zone is set) and
 * its first administrator, with a generated password unless one is given. Of several concurrent starts one does it.
 */
export const prepareFirstStart = async ({ sql, config }: AppContext): Promise<FirstAdmin | undefined> =>
  sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(${firstStartLock})`;
    await tx`
      INSERT INTO roastery_settings (time_zone) VALUES (${serverTimeZone()})
      ON CONFLICT DO NOTHING`;
    const admins = await tx`SELECT 1 FROM users WHERE is_admin AND is_active LIMIT 1`;
    if (admins.length > 0) return undefined;
    const email = config.adminEmail ?? unnamedAdmin;
    if (config.adminPassword !== undefined) checkGivenPassword(config.adminPassword, email);
    const madeUpPassword = config.adminPassword === undefined ? randomPassword() : undefined;
    await addAdmin(tx, email, config.adminPassword ?? madeUpPassword ?? '');
    return { email, madeUpPassword };
  });
