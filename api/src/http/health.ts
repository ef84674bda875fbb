/** What `/readyz` looks at besides asking Postgres and the broker link. */
export interface Health {
  /** The schema is up to date: endpoints may be served. */
  migrated: boolean;
  /** The process is ending: no new work. */
  stopping: boolean;
}

export const createHealth = (): Health => ({ migrated: false, stopping: false });
