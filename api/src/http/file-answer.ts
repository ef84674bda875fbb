import { begun, streamOf } from './streamed-answer.ts';

/** A reader that takes less than this in 30 s is cut off. */
const sliceBytes = 64 * 1024;

/** Bytes as the body of an answer. Long ones are written slice by slice, which shows whether their reader takes them. */
export const bodyOf = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> => {
  if (bytes.length <= sliceBytes) return bytes;
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes.subarray(at, (at += sliceBytes)));
        if (at >= bytes.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
};

/** A complete file. */
export const fileAnswer = (content: string | Uint8Array<ArrayBuffer>, type: string, disposition: string): Response => {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return new Response(bodyOf(bytes), {
    headers: { 'content-type': type, 'content-length': String(bytes.length), 'content-disposition': disposition },
  });
};

/** A file that is generated while it is sent; generation stops when the client disconnects. */
export const streamedFile = async (
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  type: string,
  disposition: string,
): Promise<Response> =>
  new Response(streamOf(await begun(pieces)), {
    headers: { 'content-type': type, 'content-disposition': disposition },
  });
