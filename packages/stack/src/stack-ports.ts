import { createServer } from 'node:net';
import { freePort } from './ports.ts';

/** Where each part of a stack listens. */
export interface StackPorts {
  http: number;
  mqtt: number;
  brokerManagement: number;
}

/** The start failed; its message is one line for the user. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

/**
 * Uses the given ports, or free ones for those not given.
 * @throws CannotStart with the port that is in use and how to choose another
 */
export async function choosePorts(host: string, wished: { http?: number; mqtt?: number }): Promise<StackPorts> {
  if (wished.http !== undefined) await requireFree(host, wished.http, 'PORT');
  if (wished.mqtt !== undefined) await requireFree(host, wished.mqtt, 'MQTT_PORT');
  return {
    http: wished.http ?? (await freePort(host)),
    mqtt: wished.mqtt ?? (await freePort(host)),
    brokerManagement: await freePort(),
  };
}

async function requireFree(host: string, port: number, variable: string): Promise<void> {
  const refusal = await new Promise<string | undefined>((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host }, () => server.close(() => resolve(undefined)));
  });
  if (refusal === undefined) return;
  const another = `${variable}=${port < 1024 ? 3000 : port + 1} npm start`;
  if (refusal === 'EADDRINUSE') {
    throw new CannotStart(`Port ${port} is in use. Stop the other program or choose another with ${another}.`);
  }
  if (refusal === 'EACCES') throw new CannotStart(`You may not use port ${port}. Choose another with ${another}.`);
  throw new CannotStart(`Can't listen on ${host}, port ${port}: ${refusal}. Choose another with HOST=… or ${another}.`);
}
