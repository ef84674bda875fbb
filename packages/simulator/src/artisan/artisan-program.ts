import { createServer } from 'node:http';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cToF, type TemperatureUnit } from '@roastery/roasting/units';
import { portOf } from '@roastery/runtime/system-errors';
import { WebSocketServer, type WebSocket } from 'ws';
import { artisanFile, type ArtisanRecording } from './artisan-file.ts';

/** In the format of Artisan's timer: minutes and seconds, hours and minutes after an hour. */
const timerText = (seconds: number): string => {
  const [sign, units] = seconds > 3600 ? ['h', seconds / 60] : [':', Math.max(0, seconds)];
  const whole = Math.floor(units + 0.5);
  return `${String(Math.floor(whole / 60)).padStart(2, '0')}${sign}${String(whole % 60).padStart(2, '0')}`;
};

/**
 * The outside of a computer that runs Artisan: WebLCDs (a WebSocket at /websocket that sends the values of the
 * displays) and the files of its autosave folder.
 */
export const startArtisanProgram = async (
  options: { readonly unit?: TemperatureUnit; readonly port?: number } = {},
) => {
  const unit = options.unit ?? 'C';
  const http = createServer((_request, response) => response.end('1'));
  const sockets = new Set<WebSocket>();
  const server = new WebSocketServer({ server: http, path: '/websocket' });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    http.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const port = portOf(http);
  const send = (message: unknown): void => {
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    for (const socket of sockets) socket.send(text);
  };
  const shown = (tempC: number | null): string =>
    tempC === null ? 'u.u' : (unit === 'F' ? cToF(tempC) : tempC).toFixed(1);

  return {
    port,
    url: `ws://127.0.0.1:${port}/websocket`,
    watchers: (): number => sockets.size,
    /** Any text, as another program might send it. */
    send,
    /** The values of the displays at one reading; null is a probe without a value. */
    reads: (beanTempC: number | null, exhaustTempC: number | null): void =>
      send({ data: { bt: shown(beanTempC), et: shown(exhaustTempC) } }),
    ticks: (seconds: number): void => send({ data: { time: timerText(seconds) } }),
    /** Plays a roast second by second, between two times since START: reading and timer as Artisan sends them. */
    async play(
      roast: ArtisanRecording,
      [from, to]: readonly [number, number],
      pause: () => Promise<unknown>,
    ): Promise<void> {
      for (let second = from; second <= to; second++) {
        const index = roast.seconds.indexOf(second);
        const zero =
          roast.drop !== undefined && second >= roast.drop
            ? roast.drop
            : roast.charge !== undefined && second >= roast.charge
              ? roast.charge
              : 0;
        this.ticks(second - zero);
        if (index >= 0) this.reads(roast.beanTempC[index] ?? null, roast.exhaustTempC[index] ?? null);
        await pause();
      }
    },
    /** Saves a file as Artisan does: in one step. */
    save: (folder: string, name: string, roast: ArtisanRecording): Promise<void> =>
      writeFile(join(folder, name), artisanFile({ unit, ...roast })),
    rename: (folder: string, from: string, to: string): Promise<void> => rename(join(folder, from), join(folder, to)),
    /** Disconnects its clients, as when Artisan is closed. */
    hangUp(): void {
      for (const socket of sockets) socket.terminate();
      sockets.clear();
    },
    async close(): Promise<void> {
      for (const socket of sockets) socket.terminate();
      server.close();
      await new Promise((resolve) => http.close(resolve));
    },
  };
};
export type ArtisanProgram = Awaited<ReturnType<typeof startArtisanProgram>>;
