import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { factoryReset } from './factory-reset.ts';

let folder: string;
let said: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reset-'));
  said = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

/** A server that answers the board's requests with these statuses in order; 0 breaks the connection. */
const startServer = async (...statuses: number[]) => {
  const asked: { line: string; serial: unknown; token: unknown; body: string; board: string[] }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { authorization: token, 'x-machine-serial': serial } = request.headers;
      const body = Buffer.concat(chunks).toString();
      asked.push({ line: `${request.method} ${request.url}`, serial, token, body, board: readdirSync(folder) });
      const status = statuses.shift() ?? 500;
      if (status === 0) request.socket.destroy();
      else response.writeHead(status, { 'content-type': 'application/json' }).end('{"serial_number":"RM30-7"}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    asked,
    api: `http://127.0.0.1:${port}/api/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

const reset = async (api: string): Promise<number> => {
  const identity = `API_URL=${api}\nMACHINE_SERIAL=RM30-7\nMACHINE_TOKEN=secret-of-the-board\n`;
  await writeFile(join(folder, 'agent.env'), identity);
  await writeFile(join(folder, 'settings.env'), `DATA_DIR=${join(folder, 'data')}\nSTATUS_PORT=off\n`);
  return factoryReset({ configDir: folder, yes: true, all: false, discardUnsent: false });
};

describe('factory reset', () => {
  it.each(['/api/v1', ''])('first revokes the credential at the server at …%s, authenticated by it', async (path) => {
    await using server = await startServer(200);
    expect(await reset(server.api.replace('/api/v1', path))).toBe(0);
    expect(server.asked).toEqual([
      {
        line: 'POST /api/v1/devices/me/revoke',
        serial: 'RM30-7',
        token: 'Bearer secret-of-the-board',
        body: '{"because":"factory_reset"}',
        board: expect.arrayContaining(['agent.env']),
      },
    ]);
    expect(await readdir(folder)).not.toContain('agent.env');
    expect(said).toContain('The server has revoked its credential.');
    expect(said).not.toContain('secret-of-the-board');
  });

  it('repeats the request when the answer was lost, and accepts an earlier revocation', async () => {
    await using server = await startServer(0, 401);
    expect(await reset(server.api)).toBe(0);
    expect(server.asked).toHaveLength(2);
    expect(said).toContain('The server had already revoked its credential.');
  });

  it('resets offline too, and reports that the credential stays valid and where to revoke it', async () => {
    const api = await (async () => {
      await using server = await startServer();
      return server.api;
    })();
    expect(await reset(api)).toBe(0);
    expect(await readdir(folder)).not.toContain('agent.env');
    expect(said).toMatch(
      /did not confirm the revocation \(ECONNREFUSED\): THE OLD CREDENTIAL STAYS VALID .*: Devices, menu of RM30-7, Revoke/,
    );
  });
});
