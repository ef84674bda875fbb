import { apiBasePath } from '@roastery/contract/endpoint';
import { downloadMachineMap } from '@roastery/contract/machine-maps';
import type { MachineMapInput } from '@roastery/contract/machine-map';
import { ApiError, sentenceFor } from '../../api/api-error.ts';
import { t } from '../../language/t.ts';

/** Address of a map as a file: the newest revision, or `rev`. */
export const mapFileAddress = (id: string, rev?: number): string =>
  `${apiBasePath}${downloadMachineMap.path.replace('{id}', encodeURIComponent(id))}${rev === undefined ? '' : `?rev=${rev}`}`;

/** More than any map needs. */
const maxBytes = 512 * 1024;

class NoMapFile extends Error {
  override readonly name = 'NoMapFile';
}

/** Reads a file as JSON. The server checks whether it is a map. Throws `NoMapFile` with a sentence for the person. */
export const readMapFile = async (file: File): Promise<MachineMapInput> => {
  if (file.size > maxBytes) throw new NoMapFile(t`it is larger than 512 KB`);
  const text = await file.text();
  try {
    return JSON.parse(text) as MachineMapInput;
  } catch (error) {
    throw new NoMapFile(t`it is not JSON (${error instanceof Error ? error.message : String(error)})`, {
      cause: error,
    });
  }
};

/** Why a file was refused: one line for each error. */
export const refusalOf = (error: unknown, fileName: string): string => {
  if (error instanceof NoMapFile) return t`${fileName} can’t be uploaded: ${error.message}.`;
  if (error instanceof ApiError && error.fields.length > 0) {
    const lines = error.fields.map(
      ({ field, message }) => `• ${field.replace(/^map\.?/, '') || t`the map`}: ${message}`,
    );
    return [t`${fileName} is not a valid machine map:`, ...lines].join('\n');
  }
  return sentenceFor(error, t`Failed to upload the file`);
};
