import { subscribe } from 'node:diagnostics_channel';
import { Server, Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Sockets of this process, until they are closed. */
const clients = new Set<Socket>();
const servers = new Set<Socket>();
/** The two ends of each connection within this process, until both are closed. */
const connections = new Map<Socket, Socket>();

/** Connections that a server of this process has accepted, by the ports of both ends. */
const accepted = new Set<string>();

const trackIn = (open: Set<Socket>) => (message: unknown) => {
  if (typeof message !== 'object' || message === null || !('socket' in message)) return;
  const { socket } = message;
  if (!(socket instanceof Socket)) return;
  open.add(socket);
  if (open === servers) accepted.add(`${socket.remotePort} ${socket.localPort}`);
  socket.once('close', () => open.delete(socket));
};
subscribe('net.client.socket', trackIn(clients));
subscribe('net.server.socket', trackIn(servers));

/** Whether its program takes what arrives: it may have paused it, or have a full buffer. */
const isRead = (socket: Socket): boolean => {
  const handle: unknown = Reflect.get(socket, '_handle');
  const isReading = typeof handle === 'object' && handle !== null && Reflect.get(handle, 'reading') === true;
  return isReading && !socket.isPaused();
};

const isUnderWay = (from: Socket, to: Socket): boolean =>
  !to.destroyed && isRead(to) && (from.destroyed ? !to.readableEnded : from.bytesWritten > to.bytesRead);

/** Whether a server of this process has yet to accept this connection. */
const isWaiting = ({ localPort, remotePort }: Socket): boolean => {
  if (accepted.has(`${localPort} ${remotePort}`)) return false;
  const listed: unknown = Reflect.apply(Reflect.get(process, '_getActiveHandles'), process, []);
  const handles: readonly unknown[] = Array.isArray(listed) ? listed : [];
  return handles.some((handle) => {
    const address = handle instanceof Server ? handle.address() : null;
    return typeof address === 'object' && address?.port === remotePort;
  });
};

/** Whether a connection is being opened or closed, or carries bytes that its other end has not received. */
const socketsAreBusy = (): boolean => {
  // The address of a socket is only known once it is connected; Node would keep an earlier answer.
  for (const client of clients) if (client.connecting) return true;
  for (const client of clients) {
    if (connections.has(client)) continue;
    if (!client.destroyed && client.remotePort !== undefined && isWaiting(client)) return true;
    const server = [...servers].find(
      ({ remotePort, localPort }) => remotePort === client.localPort && localPort === client.remotePort,
    );
    if (server) connections.set(client, server);
  }
  for (const [client, server] of connections) {
    if (client.destroyed && server.destroyed) connections.delete(client);
    else if (isUnderWay(client, server) || isUnderWay(server, client)) return true;
  }
  return false;
};

/** Whether requests of this process to files and of its sockets are unfinished. */
const requestsAreOpen = (): boolean => {
  const open: unknown = Reflect.apply(Reflect.get(process, '_getActiveRequests'), process, []);
  // Mostly there is none, and their names cost more than everything else here.
  if (Array.isArray(open) && open.length === 0) return false;
  return process.getActiveResourcesInfo().some((name) => /^FSReq|^CloseReq$|^GetAddrInfoReqWrap$/.test(name));
};

/** Turns of the event loop in which code may still react to what arrived last. */
const turnsAfter = 10;
/** Turns within which a request usually ends. A longer one may need the processor. */
const busyTurns = 50;

/**
 * Resolves when this process has nothing to do but wait for a timer, another process or a test: no file request, no
 * bytes between two of its sockets. It counts turns of the event loop, not time, so the speed of the computer does not
 * matter. Work of other threads that is neither, such as compression, is not seen.
 */
export const untilQuiet = async (): Promise<void> => {
  let busy = 0;
  for (let turns = 0; turns < turnsAfter; turns++) {
    await nextTurn();
    if (!socketsAreBusy() && !requestsAreOpen()) continue;
    turns = -1;
    busy += 1;
    if (busy % busyTurns === 0) await sleep(1);
  }
};
