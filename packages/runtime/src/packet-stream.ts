import { Duplex } from 'node:stream';

/**
 * A connection as an MQTT library reads and writes it. A class that extends it sees what arrives before the library does,
 * and keeps what the library need not handle.
 */
export class PacketStream extends Duplex {
  /** The connection: its socket, or the stream of a WebSocket. */
  protected readonly carrier: Duplex;

  constructor(carrier: Duplex) {
    // The other side's end ends both directions, as it does for a socket.
    super({ allowHalfOpen: false });
    this.carrier = carrier;
    carrier.on('data', (chunk: Buffer) => this.arrived(chunk)).pause();
    carrier.once('end', () => this.arrivedLast());
    carrier.on('drain', () => this.emit('drain'));
    carrier.on('error', (error) => this.destroy(error));
    carrier.once('close', () => {
      // After an orderly end the library still reads what has arrived.
      if (!carrier.readableEnded) this.destroy();
    });
  }

  /** Receives bytes as they arrive; `pass` hands on those for the library. */
  protected arrived(chunk: Buffer): void {
    this.pass(chunk);
  }

  protected arrivedLast(): void {
    this.push(null);
  }

  protected pass(chunk: Buffer): void {
    if (!this.push(chunk)) this.carrier.pause();
  }

  override _read(): void {
    this.carrier.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.carrier.write(chunk)) done();
    else this.carrier.once('drain', () => done());
  }

  override _writev(pieces: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this._write(Buffer.concat(pieces.map(({ chunk }) => chunk)), 'utf8', done);
  }

  override _final(done: () => void): void {
    if (this.carrier.writable) this.carrier.end(() => done());
    else done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.carrier.destroy();
    done(error);
  }
}
