import { machineLive } from '@roastery/contract/live';
import { registerMachine, type RegisteredMachine } from '@roastery/contract/machines';
import { endpointUrl, type RoasteryClient } from '@roastery/stack/roastery-client';

export { endpointUrl, signIn, type RoasteryClient } from '@roastery/stack/roastery-client';

/** Registers a machine of 15 kg and returns it with its token. */
export const registerTestMachine = (client: RoasteryClient, serialNumber: string): Promise<RegisteredMachine> =>
  client.call(registerMachine, {
    body: {
      serial_number: serialNumber,
      display_name: `Machine ${serialNumber}`,
      machine_type: 'RM15',
      max_capacity_kg: 15,
    },
  });

/** The live stream of a machine, up to now. */
export const openLiveStream = async (origin: string, cookie: string, id: string) => {
  const answer = await fetch(endpointUrl(origin, machineLive, { id }), { headers: { cookie } });
  if (!answer.ok) throw new Error(`the live stream was answered with ${answer.status}: ${await answer.text()}`);
  const stream = { text: '', hasEnded: false };
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const bytes of answer.body ?? []) stream.text += decoder.decode(bytes, { stream: true });
  };
  void read()
    .catch(() => undefined)
    .finally(() => (stream.hasEnded = true));
  return stream;
};
