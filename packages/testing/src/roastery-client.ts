import { registerMachine, type RegisteredMachine } from '@roastery/contract/machines';
import type { RoasteryClient } from '@roastery/stack/roastery-client';

export { endpointUrl, signIn, type RoasteryClient } from '@roastery/stack/roastery-client';

/** Registers a machine of 15 kg and answers it with its token. */
export const registerTestMachine = (client: RoasteryClient, serialNumber: string): Promise<RegisteredMachine> =>
  client.call(registerMachine, {
    body: {
      serial_number: serialNumber,
      display_name: `Machine ${serialNumber}`,
      machine_type: 'RM15',
      max_capacity_kg: 15,
    },
  });
