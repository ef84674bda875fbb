import { describe, expect, it } from 'vitest';
import { filesOfForm } from './multipart.ts';

const decoder = new TextDecoder();

const sent = async (form: FormData) => {
  const request = new Response(form);
  const type = request.headers.get('content-type') ?? '';
  return { type, body: new Uint8Array(await request.arrayBuffer()) };
};

const bodyOf = (text: string) => new TextEncoder().encode(text.replaceAll('\n', '\r\n'));

describe('multipart', () => {
  it('returns the files of a browser’s form in their order, with every byte and every name', async () => {
    const names = ['years/2025/june/Guji.alog', 'a "quoted"\r\n.csv', 'Ä ☕%.csv', 'empty.csv', ' '];
    const contents = [
      Uint8Array.from({ length: 70_000 }, (_, place) => place % 251),
      Buffer.from('\r\n--\r\n--x\r\n\r\n'),
      Buffer.from('\r\n'),
      new Uint8Array(),
      Buffer.from('--'),
    ];
    const form = new FormData();
    form.append('note', 'no file');
    for (const [place, name] of names.entries()) form.append('files', new Blob([contents[place] ?? '']), name);
    const { type, body } = await sent(form);
    const files = filesOfForm(body, type) ?? [];
    expect(files.map(({ name }) => name)).toEqual(names);
    for (const [place, { content }] of files.entries())
      expect(Buffer.from(content).equals(Buffer.from(contents[place] ?? []))).toBe(true);
  });

  it('reads a quoted boundary and heads in any case', () => {
    const body = bodyOf('--a b\nCONTENT-DISPOSITION: form-data; name="files"; filename="x.csv"\n\n1,2\n--a b--\n');
    const [file] = filesOfForm(body, 'multipart/form-data; boundary="a b"') ?? [];
    expect(file?.name).toBe('x.csv');
    expect(decoder.decode(file?.content)).toBe('1,2');
  });

  it.each([
    ['no boundary', 'multipart/form-data', '--x--'],
    ['another boundary', 'multipart/form-data; boundary=y', '--x--'],
    ['no end', 'multipart/form-data; boundary=x', '--x\nContent-Disposition: form-data; filename="a"\n\n1,2'],
    ['a head without end', 'multipart/form-data; boundary=x', '--x\nContent-Disposition: form-data\n--x--'],
    ['nothing', 'multipart/form-data; boundary=x', ''],
    ['too many parts', 'multipart/form-data; boundary=x', `${'--x\n\n\n\n'.repeat(201)}--x--`],
  ])('refuses a body with %s', (_what, type, text) => {
    expect(filesOfForm(bodyOf(text), type)).toBeUndefined();
  });
});
