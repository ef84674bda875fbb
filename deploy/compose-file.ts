import { parseOrThrow } from '@roastery/contract/parse-shape';
import { parse } from 'yaml';
import { z } from 'zod';

const serviceShape = z.object({
  image: z.string(),
  build: z.object({ context: z.string(), dockerfile: z.string(), target: z.string() }).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  networks: z.array(z.string()).default([]),
  scale: z.string().optional(),
  container_name: z.string().optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  read_only: z.boolean().default(false),
  restart: z.string().optional(),
  mem_limit: z.string().optional(),
  cap_drop: z.array(z.string()).default([]),
});

const composeShape = z.object({
  services: z.record(z.string(), serviceShape),
  networks: z.record(z.string(), z.object({ internal: z.boolean().default(false) })),
  volumes: z.record(z.string(), z.object({})),
});

/** Reads the parts of a compose file that the checks need. Throws when it isn't one. */
export const readCompose = (text: string): z.infer<typeof composeShape> =>
  parseOrThrow(composeShape, parse(text, { merge: true }));

/** Substitutes variables like compose: `${NAME}`, `${NAME:-fallback}`, `${NAME:?sentence}`. */
export const filledIn = (environment: Record<string, string>, values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_all, key: string, kind?: string, rest?: string) => {
        const given = values[key];
        if (given !== undefined && given !== '') return given;
        if (kind === '?') throw new Error(`${key}: ${rest}`);
        return rest ?? '';
      }),
    ]),
  );
