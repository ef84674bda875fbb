import { listDevices, reissuePairingTicket } from '@roastery/contract/fleet';
import { createMachineMap, setBoardConfig } from '@roastery/contract/machine-maps';
import { registerMachine } from '@roastery/contract/machines';
import { signIn } from '@roastery/testing/roastery-client';
import { startTestStack } from '@roastery/testing/test-stack';
import { until } from '@roastery/testing/until';
import { bootFreshBoard, type FreshBoard } from './fresh-board.ts';
import { startScriptedServer } from './modbus-server.ts';

/** A roastery whose portal has these packages, and a drum that answers; boards are booted beside it. */
export const openPortalForBoards = async (packagesDir: string) => {
  const stack = await startTestStack({ packagesDir });
  const admin = await signIn(stack.url, stack.admin);
  const shown = { beans: 2000, charge: false, drop: false };
  const drum = await startScriptedServer(
    'tcp',
    () => ({}),
    (address, { code }) => (code === 2 ? Number([shown.charge, shown.drop][address]) : shown.beans),
  );
  const deviceOf = async (serialNumber: string) =>
    (await admin.call(listDevices)).devices.find(({ serial_number: found }) => found === serialNumber);
  const close = async (): Promise<void> => {
    await drum.hangUp();
    await stack.close();
  };
  return {
    stack,
    admin,
    /** Tenths of °C, and the bits of charge and drop. */
    shown,
    boot: (name: string): Promise<FreshBoard> => bootFreshBoard(name, [stack.ports.http, stack.ports.mqtt, drum.port]),
    deviceOf,
    /** Registers a machine with the registers of the drum. Returns its ticket. */
    async register(serialNumber: string): Promise<string> {
      const map = {
        v: 1,
        id: `drum-${serialNumber.toLowerCase().replaceAll(' ', '-')}`,
        maker: 'Test',
        model: 'Drum',
        hz: 4,
        link: { kind: 'tcp', host: '127.0.0.1', port: drum.port },
        channels: { bean_temp: { at: 'i:0', scale: 0.1 } },
        events: { charge: { when: 'd:0' }, drop: { when: 'd:1' } },
      } as const;
      const { id: map_id } = await admin.call(createMachineMap, { body: { map } });
      const facts = { display_name: serialNumber, machine_type: 'RM15', max_capacity_kg: 15 };
      const { id } = await admin.call(registerMachine, { body: { ...facts, serial_number: serialNumber, map_id } });
      await admin.call(setBoardConfig, { params: { id }, body: { map_id, host: '127.0.0.1', port: drum.port } });
      return `PAIR-${(await admin.call(reissuePairingTicket, { params: { id } })).pairing_code}`;
    },
    /** Waits until the portal shows the machine's board online, with values of the machine. */
    isLive: (serialNumber: string, version: string) =>
      until(
        `${serialNumber} to be live with version ${version}`,
        async () => {
          const device = await deviceOf(serialNumber);
          if (device?.connection === 'online' && device.machine_link === 'ok' && device.agent_version === version)
            return device;
          throw new Error(JSON.stringify(device));
        },
        { timeoutMs: 90_000, everyMs: 300 },
      ),
    close,
    [Symbol.asyncDispose]: close,
  };
};
export type PortalForBoards = Awaited<ReturnType<typeof openPortalForBoards>>;
