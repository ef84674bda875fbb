import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { ConfigError } from '@roastery/runtime/env';
import { isMissing } from '../atomic-file.ts';
import { identityFile, settingsFile } from '../board-files.ts';
import { codeOf } from '@roastery/runtime/system-errors';
import { good, trouble, warning, type Check } from './check.ts';

const pairFirst = 'Pair it: sudo device-agent pair PAIR-XXXX-XXXX-XXXX --api https://roastery.example';

const modeOf = async (path: string): Promise<number | undefined> => {
  try {
    return (await stat(path)).mode & 0o777;
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'EACCES') return undefined;
    throw error;
  }
};

/** Checks that the board has an identity, and keeps it private. */
export const checkConfiguration: Check = {
  name: 'configuration',
  async run({ configDir, config, configError }) {
    const path = identityFile(configDir);
    if (!config) {
      if (codeOf(configError) === 'EACCES')
        return trouble(`${path} can't be read by this user.`, 'Run as root: sudo device-agent doctor');
      const says = configError instanceof Error ? configError.message : String(configError);
      if (!(configError instanceof ConfigError))
        return trouble(`${path} can't be read: ${says}.`, 'Correct that file.');
      if (
        /(API_URL|MACHINE_SERIAL|MACHINE_TOKEN): (?=.*(missing|write an address))/.test(says) &&
        (await modeOf(path)) === undefined
      )
        return trouble(`This board is not paired: there is no ${path}.`, pairFirst);
      if (/MACHINE_TOKEN|MACHINE_SERIAL|API_URL/.test(says))
        return trouble(`The configuration is incomplete: ${says}.`, `${pairFirst}, or correct ${path}.`);
      return trouble(`The configuration is wrong: ${says}.`, `Correct it in ${settingsFile(configDir)} or ${path}.`);
    }
    const mode = await modeOf(path);
    if (mode !== undefined && (mode & 0o077) !== 0)
      return warning(
        `${path} contains the machine's token and is readable by others (mode ${mode.toString(8)}).`,
        `Restrict it to root: sudo chmod 600 ${path}`,
      );
    if (config.machineMapPath !== undefined) {
      const readable = await access(config.machineMapPath, constants.R_OK).then(
        () => true,
        (error: unknown) => !isMissing(error) && codeOf(error) !== 'EACCES',
      );
      const mapMode = await modeOf(config.machineMapPath);
      if (readable && mapMode !== undefined && (mapMode & 0o044) === 0)
        return warning(
          `The agent may not be able to read ${config.machineMapPath} (mode ${mapMode.toString(8)}).`,
          `Allow it: sudo chmod 644 ${config.machineMapPath}`,
        );
    }
    return good(`machine ${config.machineSerial} at ${new URL(config.apiUrl).origin}`);
  },
};
