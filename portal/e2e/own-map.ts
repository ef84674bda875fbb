import { createMachineMap, getMachineMap, saveMachineMap, setBoardConfig } from '@roastery/contract/machine-maps';
import type { RoasteryClient } from '@roastery/testing/roastery-client';

/** A map of this user, copied from the catalogue and edited once, for a machine. Returns its id. */
export const bringOwnMap = async (owner: RoasteryClient, machineId: string): Promise<string> => {
  const { map } = await owner.call(getMachineMap, { params: { id: 'rm7' } });
  const own = await owner.call(createMachineMap, {
    body: { map: { ...map, maker: 'Giesen', model: 'W6' }, based_on: 'rm7' },
  });
  const channels = { ...own.map.channels, bean_temp: { ...own.map.channels['bean_temp'], at: 'i:12' } };
  await owner.call(saveMachineMap, {
    params: { id: own.id },
    body: { map: { ...own.map, channels }, rev: 1, note: 'Bean probe moved' },
  });
  await owner.call(setBoardConfig, { params: { id: machineId }, body: { map_id: own.id, host: '10.0.0.31', hz: 2 } });
  return own.id;
};
