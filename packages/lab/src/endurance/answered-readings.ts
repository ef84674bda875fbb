import { readFile } from 'node:fs/promises';
import { machineMapShape, type MachineMap } from '@roastery/contract/machine-map';
import { parseOrThrow } from '@roastery/contract/parse-shape';
import { demoPort, demoRoasterMap } from '@roastery/simulator/maps/demo-roaster';
import { requestNumber } from '@roastery/simulator/simulator';
import type postgres from 'postgres';

/** A reading that identifies itself by the number of its request, on the axis of a board's samples. */
export interface NumberedReading {
  readonly number: number;
  readonly monoMs: number;
  /** Bean and exhaust temperature and those beside them, °C or %; null for "no probe". */
  readonly values: readonly (number | null)[];
}

const readings = 8;
const noProbe = 32_767;

/** The demo machine with one channel more, in the same request as its eight readings: the number of that request. */
export const numberedRoasterMap = (hz: number): MachineMap => {
  const map = demoRoasterMap({ port: demoPort, hz });
  const counter = { at: `i:${readings}`, as: 'u32', unit: '%' };
  return parseOrThrow(machineMapShape, { ...map, channels: { ...map.channels, [requestNumber]: counter } });
};

/** The answers of the simulated machine (`SIM_ANSWERS`), oldest first. */
export const readAnswers = async (file: string): Promise<NumberedReading[]> => {
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    const { monoMs, code, start, words } = JSON.parse(line) as {
      monoMs: number;
      code: number;
      start: number;
      words: number[];
    };
    if (code !== 4 || start !== 0) return [];
    return {
      number: (words[readings] ?? 0) * 2 ** 16 + (words[readings + 1] ?? 0),
      monoMs,
      values: words.slice(0, readings).map((word) => (word === noProbe ? null : ((word << 16) >> 16) / 10)),
    };
  });
};

/**
 * All samples of a machine in all its recordings, oldest first; a sample stored twice is here twice. One without a
 * number was read while the machine only answered for its event bits.
 */
export const readStoredReadings = async (
  sql: postgres.Sql,
  serial: string,
): Promise<{ readings: NumberedReading[]; withoutNumber: number }> => {
  const chunks = await sql<{ mono_ms: string; dt_ms: number[]; values: (number | null)[]; channels: string[] }[]>`
    SELECT chunk.mono_ms, chunk.dt_ms, chunk.values, layout.channels
    FROM recording_chunks chunk JOIN recording_layouts layout USING (recording_id, layout_no)
      JOIN recordings r ON r.id = chunk.recording_id JOIN machines m ON m.id = r.machine_id
    WHERE m.serial_number = ${serial}`;
  const samples = chunks.flatMap(({ mono_ms: mono, dt_ms: dt, values, channels }) =>
    dt.map((offset, index) => {
      const valueOf = (column: number): number | null => values[column * dt.length + index] ?? null;
      return {
        number: valueOf(channels.indexOf(requestNumber)),
        monoMs: Number(mono) + offset,
        values: channels.flatMap((name, column) => (name === requestNumber ? [] : [valueOf(column)])),
      };
    }),
  );
  const numbered = samples.flatMap(({ number, ...sample }) => (number === null ? [] : [{ ...sample, number }]));
  return { readings: numbered.sort((a, b) => a.monoMs - b.monoMs), withoutNumber: samples.length - numbered.length };
};
