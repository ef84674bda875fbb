import { ConfigError } from '@roastery/runtime/env';
import {
  alikeAnswersRemedy,
  alikeAnswersSentence,
  lineMs,
  slowLineRemedy,
  slowLineSentence,
} from '../core/line-pace.ts';
import { planReads, readItems } from '../core/read-plan.ts';
import { readMachineMap } from '../machine-map-file.ts';

/** Validates a map file and prints the cost of reading with it. Returns the exit code. */
export const checkMap = async (path: string | undefined): Promise<number> => {
  if (path === undefined) {
    process.stderr.write('usage: device-agent check-map FILE\n');
    return 2;
  }
  try {
    const map = await readMachineMap(path);
    const reads = planReads(readItems(map), map);
    const channels = Object.keys(map.channels).length;
    process.stdout.write(
      `${map.maker} ${map.model} (${map.id}, revision ${map.rev}): ${channels} channels in ${reads.length} requests, ${map.hz} readings a second\n`,
    );
    for (const { unit, table, start, count, items } of reads) {
      const names = items.map(({ name }) => name).join(', ');
      process.stdout.write(`  unit ${unit} ${table} ${start}-${start + count - 1}: ${names}\n`);
    }
    const takes = lineMs(map);
    if (takes !== undefined) process.stdout.write(`  a reading keeps the line busy for ${Math.ceil(takes)} ms\n`);
    const alike = alikeAnswersSentence(map);
    if (alike !== undefined) process.stdout.write(`${alike} ${alikeAnswersRemedy}\n`);
    const slow = slowLineSentence(map);
    if (slow !== undefined) process.stdout.write(`${slow} ${slowLineRemedy}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
};
