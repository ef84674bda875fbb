import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@roastery/runtime/logger';
import { readFileIfThere } from '../atomic-file.ts';

/** Whether the other end answers: `before` means earlier in this run, but not now. */
export type Reach = 'now' | 'before' | 'never';

export interface Health {
  /** The agent's own problem; undefined without one. */
  readonly because: string | undefined;
  readonly roastId: string | undefined;
  readonly broker: { readonly reach: Reach; readonly at: string | undefined };
  readonly machine: { readonly reach: Reach; readonly at: string | undefined };
}

const everyMs = 1000;
/** One line, whatever an error contains. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 200);

/**
 * Writes the agent's state to `health` in the service's runtime directory: `NAME=value` lines for the launcher, which
 * is a shell script and sends no requests. The beat counts up, so that a standstill shows. Does nothing outside a
 * service.
 */
export const showHealth = (env: NodeJS.ProcessEnv, look: () => Health, log: Logger): (() => void) => {
  const folder = env['RUNTIME_DIRECTORY'];
  if (folder === undefined) return () => undefined;
  const path = join(folder, 'health');
  let beat = 0;
  let writing = false;
  let failed = false;
  const write = async (): Promise<void> => {
    const { because, roastId, broker, machine } = look();
    const lines = [
      `BEAT=${process.pid}.${beat++}`,
      `HEALTHY=${because === undefined ? 'yes' : 'no'}`,
      `BECAUSE=${oneLine(because ?? '')}`,
      `ROAST=${roastId ?? 'none'}`,
      `BROKER=${broker.reach}`,
      `BROKER_AT=${broker.at ?? ''}`,
      `MACHINE=${machine.reach}`,
      `MACHINE_AT=${machine.at ?? ''}`,
    ];
    // In memory, not on the card: nothing to sync.
    await writeFile(`${path}.new`, `${lines.join('\n')}\n`);
    await rename(`${path}.new`, path);
  };
  const tick = (): void => {
    if (writing) return;
    writing = true;
    write()
      .then(() => (failed = false))
      .catch((error: unknown) => {
        if (!failed) log.warn({ reason: String(error) }, 'health: write failed');
        failed = true;
      })
      .finally(() => (writing = false));
  };
  tick();
  const timer = setInterval(tick, everyMs);
  timer.unref();
  return () => clearInterval(timer);
};

/** Whether the service's agent reports a running roast; also false without a report. */
export const showsRoast = async (env: NodeJS.ProcessEnv): Promise<boolean> => {
  const text = await readFileIfThere(join(env['RUNTIME_DIRECTORY'] ?? '/run/roastery-agent', 'health'));
  return text !== undefined && /^ROAST=(?!none$)./m.test(text);
};

/** Remembers whether the other end was ever reached. */
export const createReach = () => {
  let reached = false;
  return (isReached: boolean): Reach => {
    reached ||= isReached;
    return isReached ? 'now' : reached ? 'before' : 'never';
  };
};
