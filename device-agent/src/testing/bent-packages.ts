import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** The content to send for a file; undefined: there is none. */
export type Bend = (path: string, content: Buffer) => Buffer | undefined;

export const torn: Bend = (path, content) =>
  path.endsWith('.deb') ? content.subarray(0, content.length / 2) : content;
export const changed: Bend = (path, content) =>
  path.endsWith('.deb')
    ? Buffer.from(content.map((byte, at) => (at === content.length - 100 ? byte ^ 1 : byte)))
    : content;

const signatures = /\/(InRelease|Release\.gpg)$/;
export const withoutSignature: Bend = (path, content) => (signatures.test(path) ? undefined : content);

/** Replaces the portal's packages: a server for the files of a folder, modified by `bend`. */
export const serveInstead = async (root: string, bend: Bend = (_path, content) => content) => {
  const server: Server = createServer((request, response) => {
    const path = join(root, new URL(request.url ?? '/', 'http://x').pathname.replace(/^\/packages\//, ''));
    const whole = existsSync(path) && statSync(path).isFile() ? readFileSync(path) : undefined;
    const sent = whole && bend(path, whole);
    if (whole === undefined || sent === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-length': whole.length });
    // Less than announced: the connection breaks in the middle.
    if (sent.length < whole.length) response.write(sent, () => response.destroy());
    else response.end(sent);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
