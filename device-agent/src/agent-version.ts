import { readFileSync } from 'node:fs';

/** The program's own version. Its manifest is one folder above, whether built, bundled or run from source. */
export const { version: agentVersion } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };
