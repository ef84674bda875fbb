import { machineMapShape, type Link, type MachineMap } from '@roastery/contract/machine-map';
import { parseOrThrow } from '@roastery/contract/parse-shape';

/** The demo machines, by their capacity in kg. */
export const demoModels = { RM7: 7, RM15: 15, RM30: 30 } as const;
export type DemoModel = keyof typeof demoModels;

/** Not 502: ports under 1024 belong to root. */
export const demoPort = 5020;

export interface DemoMapOptions {
  /** Default RM30. */
  readonly model?: DemoModel;
  /** Address of the machine. Default Modbus TCP on 127.0.0.1:5020. */
  readonly host?: string;
  readonly port?: number;
  /** Instead of host and port: another kind of link. */
  readonly link?: Link;
  /** Readings per second. Default 4. */
  readonly hz?: number;
}

const temperature = (address: number) => ({
  at: `i:${address}`,
  as: 'i16',
  scale: 0.1,
  unit: '°C',
  range: [-50, 950],
  bad: [32_767],
});
const share = (address: number) => ({ at: `i:${address}`, as: 'u16', scale: 0.1, unit: '%', range: [0, 100] });
const output = (address: number, readback: string) => ({
  at: `h:${address}`,
  as: 'u16',
  scale: 0.1,
  unit: '%',
  range: [0, 100],
  readback,
});

/**
 * Machine map of our own demo machine: eight adjacent readings in input registers, three outputs in holding registers,
 * and bits for charge, the first-crack button on the panel, and drop. 32767 means "no probe".
 */
export const demoRoasterMap = (options: DemoMapOptions = {}): MachineMap => {
  const model = options.model ?? 'RM30';
  return parseOrThrow(machineMapShape, {
    v: 1,
    id: `demo-${model.toLowerCase()}`,
    maker: 'Demo',
    model,
    link: options.link ?? { kind: 'tcp', host: options.host ?? '127.0.0.1', port: options.port ?? demoPort },
    unit: 1,
    hz: options.hz ?? 4,
    maxDrumRpm: 100,
    channels: {
      bean_temp: temperature(0),
      exhaust_temp: temperature(1),
      burner_front_temp: temperature(2),
      burner_back_temp: temperature(3),
      heat_power: share(4),
      fan_speed: share(5),
      drum_speed: { at: 'i:6', as: 'u16', scale: 0.1, unit: 'rpm', range: [0, 120] },
      drum_pressure: { at: 'i:7', as: 'i16', scale: 0.1, unit: 'Pa', range: [-500, 500] },
    },
    outputs: {
      heat_power: { ...output(0, 'heat_power'), maxPerSecond: 5, safe: 0 },
      fan_speed: output(1, 'fan_speed'),
      drum_speed: output(2, 'drum_speed'),
    },
    events: { charge: { when: 'd:0' }, first_crack: { when: 'd:1' }, drop: { when: 'd:2' } },
  });
};
