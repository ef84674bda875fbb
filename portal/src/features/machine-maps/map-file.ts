import { apiBasePath } from '@roastery/contract/endpoint';
import { downloadMachineMap } from '@roastery/contract/machine-maps';
import type { MachineMapInput } from '@roastery/contract/machine-map';
import { ApiError, sentenceFor } from '../../api/api-error.ts';

/** Where a map is downloaded as a file: its newest revision, or the one that is named. */
export const mapFileAddress = (id: string, rev?: number): string =>
  `${apiBasePath}${downloadMachineMap.path.replace('{id}', encodeURIComponent(id))}${rev === undefined ? '' : `?rev=${rev}`}`;

/** More than any map has. */
const maxBytes = 512 * 1024;

class NoMapFile extends Error {
  override readonly name = 'NoMapFile';
}

/** Reads a file as JSON; whether it is a map the server says, field by field. Throws with a sentence for a person. */
export const readMapFile = async (file: File): Promise<MachineMapInput> => {
  if (file.size > maxBytes) throw new NoMapFile('it is larger than 512 KB');
  const text = await file.text();
  try {
    return JSON.parse(text) as MachineMapInput;
  } catch (error) {
    throw new NoMapFile(`it is no JSON (${error instanceof Error ? error.message : String(error)})`, { cause: error });
  }
};

/** Why a file was not taken in: one line for each place in it that is wrong. */
export const refusalOf = (error: unknown, fileName: string): string => {
  if (error instanceof NoMapFile) return `${fileName} can’t be taken in: ${error.message}.`;
  if (error instanceof ApiError && error.fields.length > 0) {
    const lines = error.fields.map(
      ({ field, message }) => `• ${field.replace(/^map\.?/, '') || 'the map'}: ${message}`,
    );
    return [`${fileName} is no machine map as it stands:`, ...lines].join('\n');
  }
  return sentenceFor(error, 'Failed to take the file in');
};
