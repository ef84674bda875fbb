import { createHash, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@roastery/contract/parse-shape';
import { z } from 'zod';
import { readFileIfThere, syncFolder, writeFileAtomically } from '../atomic-file.ts';

const shape = z.object({ ticket: z.string(), api: z.string(), secret: z.string().regex(/^[\w-]{43}$/) });

const pathIn = (folder: string): string => join(folder, 'pairing.json');

/** The server's record of a secret. */
export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

const readPending = async (folder: string) => {
  const text = await readFileIfThere(pathIn(folder));
  if (text === undefined) return undefined;
  // Truncated or edited: a new ticket repairs a new secret.
  return parseJson(shape, text).data;
};

/**
 * The secret for this ticket at this server: the one of an earlier attempt, so that a repeat is the same request, or
 * 256 new random bits. It is on disk before any request is sent.
 */
export const secretFor = async (folder: string, ticket: string, api: string): Promise<string> => {
  const pending = await readPending(folder);
  if (pending?.ticket === ticket && pending.api === api) return pending.secret;
  const secret = randomBytes(32).toString('base64url');
  await writeFileAtomically(pathIn(folder), `${JSON.stringify({ ticket, api, secret })}\n`);
  return secret;
};

export const forgetPending = async (folder: string): Promise<void> => {
  await rm(pathIn(folder), { force: true });
  await syncFolder(folder);
};
