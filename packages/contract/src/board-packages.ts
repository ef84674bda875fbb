import { z } from 'zod';
import { endpointsOf } from './endpoint.ts';

const endpoint = endpointsOf('Devices');

/** Below the portal's address: software for boards, public. */
export const packagesPath = '/packages';

/** Fingerprint of an OpenPGP key, as `gpg` shows it without blanks. */
const fingerprintShape = z.string().regex(/^[0-9A-F]{40}$/);

/** The contents of the `repository.json` of a package repository. */
export const packageRepositoryShape = z.object({
  version: z.string(),
  /** The agent as an npm package for any computer with Node; below the repository. Absent in older releases. */
  portable: z.string().optional(),
  /** The keys that sign it: more than one while a key is replaced. */
  fingerprints: z.array(fingerprintShape).min(1),
  packages: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      architecture: z.string(),
      /** Below the repository. */
      file: z.string(),
      bytes: z.number().int(),
      sha256: z.string(),
    }),
  ),
});
export type PackageRepository = z.infer<typeof packageRepositoryShape>;

export const getBoardPackages = endpoint({
  name: 'getBoardPackages',
  method: 'GET',
  path: '/devices/packages',
  summary: 'Board software on this server, and the key that signed it',
  response: z.object({
    /** Where boards reach this server. */
    portal_url: z.string(),
    /** `null` where this server has no packages. */
    repository: packageRepositoryShape.nullable(),
  }),
});

/** Only for a private network: without TLS a board is paired with this flag. */
export const trialFlag = (portalUrl: string): string =>
  portalUrl.startsWith('http:') && !/^http:\/\/(localhost|127(\.\d+){3}|\[::1\])[:/]?/.test(portalUrl)
    ? ' --trial-without-tls'
    : '';

/**
 * The agent for any computer with Node, below `packagesPath`. Its name contains the version, because npm caches
 * downloads by address.
 */
export const portablePackageName = (version: string): string => `roastery-agent-${version}.tgz`;

/**
 * One line for a computer that runs Artisan: downloads the agent, pairs it and runs it. It is the same in every shell.
 */
export const artisanCommand = (portalUrl: string, portable: string, ticket: string): string =>
  `npx --yes ${portalUrl}${packagesPath}/${portable} artisan ${ticket} --api ${portalUrl}${trialFlag(portalUrl)}`;

/** One line for the board: installs from the portal's packages and pairs. */
export const installCommand = (portalUrl: string, ticket: string): string =>
  `curl -fsS ${portalUrl}${packagesPath}/install.sh | sudo sh -s -- ${ticket}${trialFlag(portalUrl)}`;

/** The same step by step. */
export const installSteps = (portalUrl: string, ticket: string): readonly string[] => [
  `sudo curl -fsS -o /etc/apt/keyrings/roastery.asc ${portalUrl}${packagesPath}/roastery.asc`,
  'gpg --show-keys /etc/apt/keyrings/roastery.asc',
  `echo 'deb [signed-by=/etc/apt/keyrings/roastery.asc] ${portalUrl}${packagesPath} stable main' | sudo tee /etc/apt/sources.list.d/roastery.list`,
  'sudo apt update && sudo apt install roastery-agent',
  `sudo device-agent pair ${ticket} --api ${portalUrl}${trialFlag(portalUrl)}`,
  'sudo systemctl restart roastery-agent',
];
