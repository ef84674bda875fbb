import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { usualConfigDir } from '../board-files.ts';
import { codeOf } from '@roastery/runtime/system-errors';
import { makeSupportBundle } from '../support/support-bundle.ts';

const usualName = (): string =>
  `roastery-support-${new Date().toISOString().slice(0, 16).replaceAll(/[-:]/g, '')}.tar.gz`;

/** Writes the data that support needs into one file. Returns the exit code. */
export const supportBundle = async (
  path: string = usualName(),
  configDir: string = usualConfigDir,
): Promise<number> => {
  process.stdout.write('Collecting data and running all checks of doctor …\n');
  const bundle = await makeSupportBundle(configDir);
  const file = resolve(path);
  try {
    await writeFile(file, bundle, { mode: 0o600 });
  } catch (error) {
    if (codeOf(error) === '') throw error;
    process.stderr.write(
      `${file} can't be written (${codeOf(error)}). Choose another file: device-agent support-bundle /tmp/support.tar.gz\n`,
    );
    return 1;
  }
  process.stdout.write(
    `${file} (${Math.ceil(bundle.length / 1024)} KiB). It contains no token and no roast. Send it to support.\n`,
  );
  return 0;
};
