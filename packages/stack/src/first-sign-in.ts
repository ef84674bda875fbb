import path from 'node:path';
import { writePrivateFile } from './private-file.ts';
import type { Stack } from './stack.ts';

/**
 * What to show as the password. A made-up one is shown on the first start only, and kept in a file that only its owner
 * can read; later starts name the file, since the password may have been changed in the portal.
 * @param isGiven whether the person chose the password (ADMIN_PASSWORD)
 */
export async function writeFirstSignIn(stack: Stack, dataDir: string, isGiven: boolean): Promise<string> {
  if (isGiven) return 'the one in ADMIN_PASSWORD';
  const file = path.join(dataDir, 'first-sign-in.txt');
  if (!stack.isFirstStart) return `the one of the first start, in ${file}`;
  await writePrivateFile(file, `${stack.url}\n${stack.admin.email}\n${stack.admin.password}\n`);
  return stack.admin.password;
}
