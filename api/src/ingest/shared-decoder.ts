import { hash } from 'node:crypto';
import type { Decoded } from '../recordings/recordings.ts';
import { decodeBatch, decodedBytes } from './decode-batch.ts';

/** Of batches that were decoded for watchers: some seconds of a hundred boards. */
const maxKeptBytes = 4 * 1024 * 1024;

const keyOf = (payload: Buffer): string => hash('sha1', payload, 'base64');

/**
 * Decodes each message once for its two readers: the watchers of a machine have it as it arrives, ingest stores it some moments
 * later. They may hold it in different buffers: ingest copies what it queues, and behind some brokers each subscription has its own.
 * What is kept between the two is limited: another instance may store it, or Postgres be unavailable.
 */
export const createSharedDecoder = (maxBytes = maxKeptBytes) => {
  const kept = new Map<string, { readonly decoded: Decoded; readonly bytes: number }>();
  let keptBytes = 0;
  let decodings = 0;
  const take = (key: string): Decoded | undefined => {
    const found = kept.get(key);
    kept.delete(key);
    keptBytes -= found?.bytes ?? 0;
    return found?.decoded;
  };
  const decodeAnew = (payload: Buffer): Decoded => {
    decodings += 1;
    return decodeBatch(payload);
  };
  return {
    forWatchers(payload: Buffer): Decoded {
      const key = keyOf(payload);
      const decoded = take(key) ?? decodeAnew(payload);
      const bytes = decodedBytes(decoded) + payload.length;
      kept.set(key, { decoded, bytes });
      keptBytes += bytes;
      for (const oldest of kept.keys()) {
        if (keptBytes <= maxBytes) break;
        take(oldest);
      }
      return decoded;
    },
    /** Without watchers nothing is kept, and the message needs no key. */
    forStorage: (payload: Buffer): Decoded => (kept.size > 0 ? take(keyOf(payload)) : undefined) ?? decodeAnew(payload),
    get decodings(): number {
      return decodings;
    },
  };
};

/** The one of this process: both readers get the same object for a message. */
export const sharedDecoder = createSharedDecoder();
