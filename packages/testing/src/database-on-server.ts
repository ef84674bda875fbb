import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';

export interface TestDatabase {
  url: string;
  name: string;
  /** Removes it and closes remaining connections. */
  drop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A database created once and copied for each test: `prepare` migrates and seeds it, and closes its connections. */
export interface DatabaseTemplate {
  /** Identifies the work of `prepare`: the same name, the same content. Lower case letters, digits and underscores. */
  name: string;
  prepare(url: string): Promise<void>;
}

/** Connections to servers: one costs Postgres 10 ms, as much as a database. They close when they are idle, and open again. */
const connections = new Map<string, postgres.Sql>();
const connectionTo = (serverUrl: string): postgres.Sql => {
  const open =
    connections.get(serverUrl) ?? postgres(serverUrl, { max: 1, idle_timeout: 1, onnotice: () => undefined });
  connections.set(serverUrl, open);
  return open;
};

/**
 * Makes an empty database, or a copy of the template (about 50 ms), on a running server.
 * @param serverUrl a role that may create databases
 */
export async function createDatabaseOn(serverUrl: string, template?: DatabaseTemplate): Promise<TestDatabase> {
  const sql = connectionTo(serverUrl);
  const name = `test_${randomBytes(6).toString('hex')}`;
  if (template === undefined) await sql`CREATE DATABASE ${sql(name)}`;
  else {
    await prepareOnce(serverUrl, template);
    // Copying the files takes half as long as logging their pages.
    await sql`CREATE DATABASE ${sql(name)} TEMPLATE ${sql(templateName(template))} STRATEGY file_copy`;
  }
  const drop = () => dropDatabase(serverUrl, name);
  return { url: addressOf(serverUrl, name), name, drop, [Symbol.asyncDispose]: drop };
}

const templateName = ({ name }: DatabaseTemplate) => `template_${name}`;

/** Templates that this process knows to exist, or makes. */
const prepared = new Map<string, Promise<void>>();
const prepareOnce = (serverUrl: string, template: DatabaseTemplate): Promise<void> => {
  const key = addressOf(serverUrl, templateName(template));
  const made = prepared.get(key) ?? prepareTemplate(serverUrl, template);
  prepared.set(key, made);
  made.catch(() => prepared.delete(key));
  return made;
};

/** Test files run in several processes; the first to need a template creates it and the others wait. */
async function prepareTemplate(serverUrl: string, template: DatabaseTemplate): Promise<void> {
  const name = templateName(template);
  // Its own connection holds the lock.
  const sql = postgres(serverUrl, { max: 1, onnotice: () => undefined });
  try {
    await sql`SELECT pg_advisory_lock(hashtext(${name}))`;
    const [existing] = await sql`SELECT FROM pg_database WHERE datname = ${name}`;
    if (existing !== undefined) return;
    const draft = `${name}_draft`;
    await sql`DROP DATABASE IF EXISTS ${sql(draft)} WITH (FORCE)`;
    await sql`CREATE DATABASE ${sql(draft)}`;
    await template.prepare(addressOf(serverUrl, draft));
    await sql`ALTER DATABASE ${sql(draft)} RENAME TO ${sql(name)}`;
  } finally {
    await sql.end();
  }
}

async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  const sql = connectionTo(serverUrl);
  for (let tries = 1; ; tries++) {
    try {
      await sql`DROP DATABASE IF EXISTS ${sql(name)} WITH (FORCE)`;
      return;
    } catch (error) {
      // An autovacuum worker may use it, which only a superuser could end; it leaves by itself.
      if (!(error instanceof postgres.PostgresError) || error.code !== '42501' || tries === 50) throw error;
      await sleep(100);
    }
  }
}

function addressOf(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
