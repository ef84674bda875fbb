import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startPairingServer, type Fate } from '../testing/pairing-server.ts';
import { readIdentity, withIdentity } from './env-file.ts';
import { pairBoard, readApi } from './pair-board.ts';
import { plainBrokerWarning } from './pairing-trouble.ts';
import { sentenceForFolder, sentenceForNoConnection } from './pairing-trouble.ts';

const ticket = 'PAIR-BCDF-GHJK-LMNP';
let folder: string;
let said: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pairing-'));
  said = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const pair = (api: string, typed = ticket, configDir = folder): Promise<void> =>
  pairBoard({ ticket: typed, api, configDir, agentVersion: '0.1.0', retryLimits: { minMs: 1, maxMs: 2 } }, (line) =>
    said.push(line),
  );
const envFile = () => join(folder, 'agent.env');
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The server has exactly one credential, and it is the one on disk. */
const expectPaired = async (server: { credentials: string[] }): Promise<void> => {
  const identity = await readIdentity(envFile());
  expect(server.credentials).toEqual([hashOf(identity?.MACHINE_TOKEN ?? '')]);
  expect(identity?.MACHINE_SERIAL).toBe('RM30 7');
  expect(await readdir(folder)).toEqual(['agent.env']);
};

describe('pairing a board', () => {
  it('writes its own credential and never sends the secret', async () => {
    await using server = await startPairingServer('BCDFGHJKLMNP');
    await pair(server.url, ' pair-bcdf-ghjk-lmnp ');
    await expectPaired(server);
    const text = await readFile(envFile(), 'utf8');
    const token = (await readIdentity(envFile()))?.MACHINE_TOKEN ?? '';
    expect(Buffer.from(token, 'base64url').length * 8).toBeGreaterThanOrEqual(128);
    expect((await stat(envFile())).mode & 0o777).toBe(0o600);
    expect(text).toContain(`API_URL=${server.url}/api/v1\nMACHINE_SERIAL='RM30 7'`);
    expect(JSON.stringify(server.asked)).not.toContain(token);
    expect(said.join('\n')).toMatch(/Paired with Big Drum \(RM30 7\)/);
    expect(said.join('\n')).not.toContain(token);
  });

  it.each<[string, Fate[]]>([
    ['the question', ['lost before']],
    ['the answer', ['lost after']],
    ['half the answer', ['cut off']],
    ['the answer, behind a gateway', ['status 502']],
    ['everything three times', ['lost before', 'lost after', 'cut off']],
    ['the answer, then patience', ['lost after', 'too many']],
  ])('retries with the same secret when it lost %s', async (_what, fates) => {
    await using server = await startPairingServer('BCDFGHJKLMNP', fates);
    await pair(server.url);
    await expectPaired(server);
    expect(new Set(server.asked.map((wish) => wish.secret_hash)).size).toBe(1);
  });

  it('pairing: reports an expired ticket and writes nothing', async () => {
    await using server = await startPairingServer('BCDFGHJKLMNP', ['expired']);
    await expect(pair(server.url)).rejects.toThrow(/^This ticket has expired: .* Ask the owner of the machine/);
    expect(await readIdentity(envFile())).toBeUndefined();
  });

  it.each([
    ['http://192.168.1.20:3000', false, /requires TLS.*--trial-without-tls/],
    ['http://roastery.example', false, /requires TLS/],
    ['http://roastery.example', true, /not in a private network/],
    ['http://8.8.8.8:3000', true, /not in a private network/],
    ['http://10.0.0.5.example.com', true, /not in a private network/],
  ])('pairing: refuses %s (as a trial: %s)', (address, isTrial, sentence) => {
    expect(() => readApi(address, isTrial)).toThrow(sentence);
  });

  it.each([
    'http://192.168.1.20:3000',
    'http://10.1.2.3',
    'http://172.20.0.2',
    'http://roastery.local:3000',
    'http://[fd00::1]',
  ])('pairing: allows %s only as a named trial', (address) => {
    expect(readApi(address, true)).toBe(`${address}/api/v1`);
    expect(() => readApi(address, false)).toThrow(/requires TLS/);
  });

  it('pairing: warns clearly when the server names a broker without encryption', async () => {
    await using server = await startPairingServer('BCDFGHJKLMNP');
    await pair(server.url);
    expect(said.filter((line) => line.startsWith('WARNING: '))).toEqual([
      expect.stringMatching(
        /broker broker\.example:1883 is not encrypted \(mqtt:\/\/\): .*token.*mqtts:\/\//,
      ) as string,
    ]);
  });

  it.each([
    ['mqtt://10.0.0.5:1883', true],
    ['mqtt://broker.example', true],
    ['ws://broker.example/mqtt', true],
    ['mqtt://[2001:db8::1]', true],
    ['mqtts://broker.example:8883', false],
    ['wss://broker.example', false],
    ['mqtt://127.0.0.1:1883', false],
    ['mqtt://localhost', false],
    ['mqtt://[::1]:1883', false],
  ])('plain broker: %s causes a warning: %s', (url, isWarnedOf) => {
    expect(plainBrokerWarning(url) !== undefined).toBe(isWarnedOf);
  });

  it('continues after an interruption: the same command pairs the same board with the same secret', async () => {
    await using server = await startPairingServer('BCDFGHJKLMNP', Array<Fate>(4).fill('lost after'));
    await expect(pair(server.url)).rejects.toThrow(/Nothing is lost: run the same command again within 15 minutes/);
    expect(await readdir(folder)).toEqual(['pairing.json']);
    expect((await stat(join(folder, 'pairing.json'))).mode & 0o777).toBe(0o600);
    await pair(server.url);
    await expectPaired(server);
  });

  it('recognises a finished pairing that was interrupted after writing the file', async () => {
    await using server = await startPairingServer('BCDFGHJKLMNP', [
      'lost after',
      'lost after',
      'lost after',
      'lost after',
    ]);
    await expect(pair(server.url)).rejects.toThrow(/Nothing is lost/);
    const { secret } = JSON.parse(await readFile(join(folder, 'pairing.json'), 'utf8')) as { secret: string };
    const identity = { API_URL: `${server.url}/api/v1`, MACHINE_SERIAL: 'RM30 7', MACHINE_TOKEN: secret };
    await writeFile(envFile(), withIdentity(undefined, identity));
    const before = server.asked.length;
    await pair(server.url);
    expect(server.asked.length).toBe(before);
    await expectPaired(server);
  });

  it('a second board with the same ticket is refused, and the first stays paired', async () => {
    await using server = await startPairingServer('BCDFGHJKLMNP');
    await pair(server.url);
    await expect(pair(server.url, ticket, join(folder, 'other'))).rejects.toThrow(/ask the owner .* for a new ticket/);
    await rm(join(folder, 'other'), { recursive: true });
    await expectPaired(server);
    await expect(pair(server.url)).rejects.toThrow(/this board is already paired with the machine RM30 7/);
  });

  it('keeps the other settings of the environment file, but not the broker of another server', () => {
    const before = '# mine\nMACHINE_MAP=/etc/map.json\nAPI_URL=https://old\nMQTT_URL=mqtts://old\nMACHINE_TOKEN=t\n\n';
    const after = withIdentity(before, { API_URL: 'https://new', MACHINE_SERIAL: "it's", MACHINE_TOKEN: 'n' });
    expect(after).toBe(
      '# mine\nMACHINE_MAP=/etc/map.json\nAPI_URL=https://new\nMACHINE_SERIAL="it\'s"\nMACHINE_TOKEN=n\n',
    );
  });
});

const failed = (code: string): Error => Object.assign(new Error(code), { code });

describe('pairing errors', () => {
  it.each([
    ['PAIR-BCDF-GHJK-LMN', 'https://r.example', /twelve letters, no vowels, no digits/],
    ['PAIR-AEIO-GHJK-LMNP', 'https://r.example', /is not a pairing ticket/],
    [ticket, 'not an address', /is not an address\. Use --api https:/],
    [ticket, 'http://r.example', /requires TLS: use --api https:\/\/r\.example/],
  ])('%s at %s', async (typed, api, sentence) => {
    await expect(pair(api, typed)).rejects.toThrow(sentence);
    expect(await readdir(folder)).toEqual([]);
  });

  it('an unreachable server, and one that is not a roastery', async () => {
    await expect(pair('http://127.0.0.1:9')).rejects.toThrow(/Nothing answers at 127\.0\.0\.1:9/);
    await expect(pair('https://no-such-roastery.invalid')).rejects.toThrow(/is unknown/);
    await using server = await startPairingServer('BCDFGHJKLMNP');
    await expect(pair(`${server.url}/shop`)).rejects.toThrow(/There is no portal at .*\(status 404\)/);
    await expect(pair(server.url.replace('http:', 'https:'))).rejects.toThrow(/does not speak TLS/);
  });

  it('a folder that can’t be written uses up no ticket', async () => {
    await using server = await startPairingServer('BCDFGHJKLMNP');
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expect(pair(server.url, ticket, file)).rejects.toThrow(/is not a folder.*--config-dir/);
    expect(server.asked).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)(
    'pairing: a folder of another user spends no ticket (skipped as root)',
    async () => {
      await using server = await startPairingServer('BCDFGHJKLMNP');
      await chmod(folder, 0o500);
      await expect(pair(server.url)).rejects.toThrow(/can't write to the folder.*sudo/);
      await chmod(folder, 0o700);
      expect(server.asked).toEqual([]);
    },
  );

  it.each([
    ['CERT_NOT_YET_VALID', /timedatectl set-ntp true/],
    ['CERT_HAS_EXPIRED', /2020-01-01T.*set the clock/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /NODE_EXTRA_CA_CERTS/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /not for the name r\.example/],
    ['ENETUNREACH', /Plug in the network cable/],
  ])('%s is reported with an instruction', (code, sentence) => {
    expect(sentenceForNoConnection(failed(code), 'https://r.example/api/v1', new Date('2020-01-01'))).toMatch(sentence);
  });
  it.each([
    ['EACCES', /sudo device-agent pair/],
    ['EROFS', /read-only/],
    ['ENOSPC', /is full/],
  ])('%s of the folder is reported with an instruction', (code, sentence) => {
    expect(sentenceForFolder(failed(code), '/etc/roastery-agent')).toMatch(sentence);
  });
  it.each(['ECONNRESET', 'ABORT_ERR'])('%s may have lost an answer: the request is repeated', (code) => {
    expect(sentenceForNoConnection(failed(code), 'https://r.example')).toBeUndefined();
  });
});
