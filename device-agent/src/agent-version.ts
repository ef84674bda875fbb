import { readFileSync } from 'node:fs';

/** The program's own version. Its manifest lies one folder above it, built, bundled or as source. */
export const { version: agentVersion } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };
