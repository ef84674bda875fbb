import { Agent, get } from 'node:http';

/** Connections stay open between calls, as browsers keep them. */
const agent = new Agent({ keepAlive: true });

export interface TimedAnswer {
  readonly status: number;
  /** Until the first byte of the body has arrived. */
  readonly firstByteMs: number;
  /** Until all of it has; for `whole: false` the same as the first byte. */
  readonly ms: number;
  readonly bytes: number;
  readonly body: Buffer;
}

/**
 * Requests an address as a browser does, with compression, and measures the time.
 * @param whole false stops at the first byte, as for a long download
 */
export const timedGet = (
  url: string,
  cookie: string,
  { whole, plain }: { whole: boolean; plain?: boolean },
): Promise<TimedAnswer> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = { cookie, ...(plain === true ? {} : { 'accept-encoding': 'gzip, deflate, br' }) };
    get(url, { agent, headers }, (answer) => {
      const pieces: Buffer[] = [];
      let firstByteMs: number | undefined;
      const finish = () => {
        const body = Buffer.concat(pieces);
        const ms = performance.now() - began;
        resolve({ status: answer.statusCode ?? 0, firstByteMs: firstByteMs ?? ms, ms, bytes: body.length, body });
      };
      answer.on('data', (piece: Buffer) => {
        firstByteMs ??= performance.now() - began;
        pieces.push(piece);
        if (whole) return;
        finish();
        answer.destroy();
      });
      answer.once('end', finish);
      // Stopping early is an error to the socket; the answer has been measured by then.
      answer.once('error', reject);
    }).once('error', reject);
  });
