/** How ingest gets on, as far as readiness is concerned. */
export interface IngestHealth {
  /** How long the oldest message has waited that is not committed; 0 when none waits. */
  readonly oldestWaitingSeconds: number;
  readonly lastCommitAt: Date | undefined;
  /** Machines whose messages could not be stored for now and are tried again. */
  readonly parkedMachines: number;
  /** Messages wait, and for a minute none was committed. */
  readonly isStalled: boolean;
}

/** What `/readyz` looks at besides asking Postgres and the broker link. */
export interface Health {
  /** The schema is up to date: endpoints may be served. */
  migrated: boolean;
  /** The process is ending: no new work. */
  stopping: boolean;
  /** Undefined until ingest was started. */
  ingest: (() => IngestHealth) | undefined;
}

export const createHealth = (): Health => ({ migrated: false, stopping: false, ingest: undefined });
