import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';
import { maxUploadBytes } from './imports.ts';
import { idShape, lineShape } from './shapes.ts';

const endpoint = endpointsOf('Devices', 'device');

/**
 * The result for a file. `created`: a new roast. `joined`: it belongs to a roast that was recorded live. `updated`: a
 * newer version of a known file. `known`: nothing changed, the same content or curve exists. `deleted`: its roast was
 * deleted here and is not created again.
 */
export const machineFileOutcomes = ['created', 'joined', 'updated', 'known', 'deleted'] as const;
export type MachineFileOutcome = (typeof machineFileOutcomes)[number];

export const machineFileShape = z.object({
  outcome: z.enum(machineFileOutcomes),
  /** Null when it was deleted. */
  roast_id: idShape.nullable(),
  /** What is unlikely about the roast, for a person to check; it is kept all the same. */
  doubts: z.array(z.string()).optional(),
});
export type MachineFile = z.infer<typeof machineFileShape>;

export const sendMachineFile = endpoint({
  name: 'sendMachineFile',
  method: 'POST',
  path: '/devices/me/roast-files',
  summary: 'Import a roast file that Artisan saved for this machine; the same content again changes nothing',
  query: z.object({ file_name: lineShape(200).min(1, 'The file needs a name') }),
  accepts: { type: 'application/octet-stream', maxBytes: maxUploadBytes },
  response: machineFileShape,
  errors: ['too_large', 'wrong_type', 'too_many_requests'],
});

export const maxCheckedFiles = 500;
const sha256Shape = z.string().regex(/^[0-9a-f]{64}$/);

export const machineFilesCheckShape = z.object({
  /** The owner for whom the server keeps this machine's files, as in a statement about its journal. */
  owner: z.string().regex(/^[0-9a-f]{16}$/),
  missing: z.array(sha256Shape),
});

/** A database that was restored from a backup lacks the files that were sent after it. */
export const checkMachineFiles = endpoint({
  name: 'checkMachineFiles',
  method: 'POST',
  path: '/devices/me/roast-files/check',
  summary: 'Which of these imported contents the server no longer has',
  body: z.object({ sha256: z.array(sha256Shape).max(maxCheckedFiles) }),
  response: machineFilesCheckShape,
});
