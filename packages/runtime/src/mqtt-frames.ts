/**
 * Reads only the fixed headers of MQTT packets as bytes arrive, before anything is buffered. The parser behind it would
 * buffer a packet of any announced size: without this, a CONNECT of 200 MB takes 200 MB of memory.
 */
export interface FrameGuardLimits {
  readonly maxBytesBeforeAuthentication: number;
  readonly maxPacketBytes: number;
}

export type FrameFault = 'not_mqtt' | 'too_large';

/** A whole PUBLISH of QoS 0 that is neither retained nor a duplicate: offsets of its start, its topic and its end. */
export interface Frame {
  readonly start: number;
  readonly body: number;
  readonly end: number;
}

const connectHeader = 0x10;
const plainPublishHeader = 0x30;
/** MQTT 3.1.1, 2.2.3: the remaining length takes one to four bytes of seven bits. */
const maxLengthShift = 21;

export const createFrameGuard = (limits: FrameGuardLimits) => {
  let authenticated = false;
  let bytesBeforeAuthentication = 0;
  let expecting: 'header' | 'length' | 'body' = 'header';
  let first = true;
  let length = 0;
  let shift = 0;
  let bodyLeft = 0;
  let header = 0;

  return {
    /** From now on the packet limit after authentication applies, and any packet may arrive. */
    authenticated(): void {
      authenticated = true;
      first = false;
    },
    /**
     * Checks the next bytes. Returns how many packets began in them, or what is wrong with them. Plain messages that
     * are complete in them are added to `frames`.
     */
    inspect(chunk: Uint8Array, frames?: Frame[]): number | FrameFault {
      if (!authenticated) {
        bytesBeforeAuthentication += chunk.length;
        if (bytesBeforeAuthentication > limits.maxBytesBeforeAuthentication) return 'too_large';
      }
      const maxLength = authenticated ? limits.maxPacketBytes : limits.maxBytesBeforeAuthentication;
      let packets = 0;
      let at = 0;
      let start: number | undefined;
      while (at < chunk.length) {
        if (expecting === 'body') {
          const step = Math.min(bodyLeft, chunk.length - at);
          at += step;
          bodyLeft -= step;
          if (bodyLeft === 0) expecting = 'header';
          continue;
        }
        const byte = chunk[at++] ?? 0;
        if (expecting === 'header') {
          if (first && byte !== connectHeader) return 'not_mqtt';
          first = false;
          header = byte;
          start = at - 1;
          packets += 1;
          length = 0;
          shift = 0;
          expecting = 'length';
          continue;
        }
        length += (byte & 0x7f) << shift;
        if (length > maxLength) return 'too_large';
        if (byte & 0x80) {
          if (shift === maxLengthShift) return 'not_mqtt';
          shift += 7;
        } else {
          bodyLeft = length;
          expecting = length === 0 ? 'header' : 'body';
          if (header === plainPublishHeader && start !== undefined && at + length <= chunk.length)
            frames?.push({ start, body: at, end: at + length });
        }
      }
      return packets;
    },
  };
};
export type FrameGuard = ReturnType<typeof createFrameGuard>;
