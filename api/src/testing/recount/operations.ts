import { boardOperations } from './board-operations.ts';
import { blendOperations, deskOperations, machineOperations } from './desk-operations.ts';
import { lotOperations, recipeOperations } from './store-operations.ts';
import { roastOperations } from './roast-operations.ts';
import type { Operation, World } from './world.ts';

const all: readonly Operation[] = [
  ...machineOperations,
  ...lotOperations,
  ...recipeOperations,
  ...roastOperations,
  ...boardOperations,
  ...blendOperations,
  ...deskOperations,
];
const weight = all.reduce((sum, { often }) => sum + often, 0);

/** Performs one random operation. */
export const doSomething = async (world: World): Promise<void> => {
  let at = world.chance.number() * weight;
  for (const operation of all) {
    at -= operation.often;
    if (at < 0) return operation.run(world);
  }
};
