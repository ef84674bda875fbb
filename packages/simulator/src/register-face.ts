import { parseAddress, type MachineMap } from '@roastery/contract/machine-map';
import type { EventName, RoastingMachine } from './machine.ts';
import {
  layOut,
  outputWords,
  showOutput,
  shownReading,
  showReading,
  writtenValue,
} from './registers/channel-registers.ts';
import { createRegisterBank, type HolePolicy, type RegisterBank } from './registers/register-bank.ts';

/** A machine as its registers present it. */
export interface RegisterFace {
  readonly bank: RegisterBank;
  /** Updates the registers to the machine's readings. `brokenProbes` are channels that show "no probe". */
  refresh(brokenProbes: readonly string[]): void;
  /** The values that a correct reader decodes: °C or %, null for "no probe". */
  shown(): Record<string, number | null>;
  raised(): EventName[];
}

const sameAddress = (one: string, other: string, unit: number): boolean => {
  const [a, b] = [parseAddress(one, unit), parseAddress(other, unit)];
  return a.unit === b.unit && a.table === b.table && a.address === b.address;
};

/**
 * Maps a machine's readings, outputs and event bits to registers according to the map, and accepts writes to its outputs.
 */
export const createRegisterFace = (
  machine: RoastingMachine,
  map: MachineMap,
  holes: HolePolicy = 'zero',
): RegisterFace => {
  const bank = createRegisterBank(holes);
  const channels = Object.entries(map.channels);
  const outputs = Object.entries(map.outputs).flatMap(([name, output]) =>
    output === undefined ? [] : [{ name, output }],
  );
  const events = (Object.keys(map.events) as EventName[]).flatMap((name) => {
    const event = map.events[name];
    return event === undefined ? [] : [{ name, event }];
  });
  for (const [, channel] of channels) layOut(bank, map, channel);
  const shownOutputs = new Map<string, number>();

  for (const { output } of outputs) {
    const at = parseAddress(output.at, map.unit);
    bank.allowWrite(at.unit, at.table, at.address, outputWords(output));
  }
  const eventWrites = events.flatMap(({ name, event }) =>
    (event.on ?? []).flatMap((action) => {
      if (!Array.isArray(action)) return [];
      const at = parseAddress(action[0], map.unit);
      bank.allowWrite(at.unit, at.table, at.address, 1);
      return [{ name, at, value: action[1] }];
    }),
  );
  bank.onWrite((unit, table, address, words) => {
    const covers = (at: { unit: number; table: string; address: number }): boolean =>
      at.unit === unit && at.table === table && at.address >= address && at.address < address + words.length;
    for (const { name, output } of outputs) {
      if (!covers(parseAddress(output.at, map.unit))) continue;
      const value = writtenValue(bank, map, name, output);
      if (value === undefined) continue;
      machine.setOutput(name, value);
      shownOutputs.set(name, value);
    }
    for (const { name, at, value } of eventWrites) {
      if (!covers(at) || words[at.address - address] !== value) continue;
      if (name === 'charge') machine.charge();
      if (name === 'drop') machine.drop();
    }
  });

  return {
    bank,
    refresh(brokenProbes) {
      const readings = machine.readings();
      for (const [name, channel] of channels) {
        // A machine without that instrument shows the value of a missing probe.
        const value = brokenProbes.includes(name) ? null : (readings[name] ?? null);
        showReading(bank, map, name, channel, value);
      }
      for (const { name, output } of outputs) {
        const isReading = channels.some(([, channel]) => sameAddress(channel.at, output.at, map.unit));
        const value = readings[name];
        if (isReading || shownOutputs.has(name) || value === undefined || value === null) continue;
        showOutput(bank, map, name, output, value);
      }
      const raised = machine.raisedEvents();
      for (const { name, event } of events) {
        if (event.when === undefined) continue;
        const at = parseAddress(event.when, map.unit);
        const up = raised.has(name);
        if (at.bit === undefined) bank.set(at.unit, at.table, at.address, up ? 1 : 0);
        else bank.setBit(at.unit, at.table, at.address, at.bit, up);
      }
    },
    shown: () => Object.fromEntries(channels.map(([name, channel]) => [name, shownReading(bank, map, name, channel)])),
    raised: () => [...machine.raisedEvents()],
  };
};
