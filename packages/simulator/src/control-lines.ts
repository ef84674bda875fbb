import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { parseJson } from '@roastery/contract/parse-shape';
import type { Logger } from '@roastery/runtime/logger';
import { z } from 'zod';
import { faultsShape } from './modbus/faults.ts';
import type { Simulator } from './simulator.ts';

/**
 * One line, one order: `{"faults":{"silence":true}}`, `{"do":"charge"}`, `{"timeFactor":10}`,
 * `{"output":"heat_power","percent":20}`.
 */
const orderShape = z.union([
  z.strictObject({ faults: faultsShape }),
  z.strictObject({ do: z.enum(['charge', 'drop', 'hang_up', 'state']) }),
  z.strictObject({ timeFactor: z.number().positive().max(1000) }),
  z.strictObject({ output: z.string(), percent: z.number().min(0).max(100) }),
]);
type Order = z.infer<typeof orderShape>;

/**
 * Controls a simulator by JSON lines. Each is answered by a log line with `control`. Returns a function that stops it.
 */
export const takeControlLines = (input: Readable, simulator: Simulator, log: Logger): (() => void) => {
  const lines = createInterface({ input });
  lines.on('line', (line) => {
    const order = parseOrder(line);
    if (order === undefined)
      log.warn({ control: 'refused' }, 'not an order: send one JSON object per line, e.g. {"do":"charge"}');
    else log.info({ control: 'done', order, done: carryOut(order, simulator), state: simulator.state() }, 'order');
  });
  return () => lines.close();
};

const parseOrder = (line: string): Order | undefined => parseJson(orderShape, line).data;

const carryOut = (order: Order, simulator: Simulator): boolean => {
  if ('faults' in order) {
    simulator.setFaults(order.faults);
    return true;
  }
  if ('timeFactor' in order) {
    simulator.setTimeFactor(order.timeFactor);
    return true;
  }
  if ('output' in order) return simulator.setOutput(order.output, order.percent);
  if (order.do === 'charge') return simulator.charge();
  if (order.do === 'drop') return simulator.drop();
  if (order.do === 'hang_up') simulator.hangUp();
  return true;
};
