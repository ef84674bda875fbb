import { guideOf, type Control } from '@roastery/roasting/recipe/guide';
import { formatDuration } from '@roastery/roasting/units';
import { ConfigError } from '@roastery/runtime/env';
import { createLogger } from '@roastery/runtime/logger';
import { readBoardConfig, usualConfigDir } from '../board-files.ts';
import { simulateWrites, type SimulatedWrite } from '../core/simulated-writes.ts';
import { chooseMachineMap } from '../machine-map-file.ts';
import { readPlanBook } from '../plan/plan-store.ts';

const planned: Record<Control, (value: number) => string> = {
  burner: (value) => `burner ${value} %`,
  exhaust: (value) => `air ${value} %`,
  drumRpm: (value) => `drum ${value} RPM`,
};

const lineOf = ({ atSeconds, control, planned: value, order }: SimulatedWrite): string => {
  const head = `  ${formatDuration(atSeconds).padStart(6)}  ${planned[control](value).padEnd(14)}`;
  if (order === null) return `${head}  the map has no output for it`;
  const { register, raw, value: written, unit, isClamped, overSeconds, isTooSlow } = order;
  const notes = [
    isClamped ? 'clamped to the map’s range' : null,
    overSeconds > 0 ? `takes ${Math.ceil(overSeconds)} s at the map’s rate limit` : null,
    isTooSlow ? 'not reached before the next step' : null,
  ].filter((note) => note !== null);
  const remarks = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  return `${head}  ${register} ← ${raw}, which is ${Math.round(written * 10) / 10} ${unit}${remarks}`;
};

/** The writes of a plan by a map, as lines. */
export const describeWrites = (writes: readonly SimulatedWrite[]): string[] => writes.map(lineOf);

/**
 * Prints what the plan on this board would write to the machine by its map. It opens no connection to the machine.
 * Returns the exit code.
 */
export const outputs = async (simulate = false, configDir: string = usualConfigDir): Promise<number> => {
  if (!simulate) {
    process.stderr.write(
      'This agent never writes to a machine. To see what a plan would write: device-agent outputs --simulate\n',
    );
    return 2;
  }
  try {
    const config = readBoardConfig(configDir);
    const map = await chooseMachineMap(config.dataDir, config.machineMapPath, createLogger('device-agent', 'warn'));
    if (map === undefined) throw new ConfigError('there is no machine map: choose one for this machine in the portal');
    const { book } = await readPlanBook(config.dataDir);
    const plan = book.running?.plan ?? book.waiting[0];
    if (plan === undefined)
      throw new ConfigError('there is no plan on this board: plan a roast for this machine in the portal');
    const name = plan.recipe?.name ?? 'no recipe';
    const of = [name, plan.coffee_name, plan.batch_size_kg === null ? null : `${plan.batch_size_kg} kg`];
    process.stdout.write(
      [
        `Simulated: nothing is written to the machine.`,
        `${of.filter((part) => part !== null).join(', ')}; ${book.running === null ? 'waits for its charge' : 'is being roasted'}`,
        `Map: ${map.maker} ${map.model} (${map.id}, revision ${map.rev})${plan.interpolated ? '; interpolated every second' : ''}:`,
        ...describeWrites(simulateWrites(guideOf(plan), map)),
        '',
      ].join('\n'),
    );
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
};
