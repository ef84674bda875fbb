export interface ArMember {
  readonly name: string;
  readonly content: Buffer;
}

/** An `ar` archive as dpkg reads it: members in order, owned by root, of one time. */
export const arOf = (members: readonly ArMember[], mtimeSeconds: number): Buffer =>
  Buffer.concat([
    Buffer.from('!<arch>\n'),
    ...members.flatMap(({ name, content }) => {
      const header = [
        name.padEnd(16),
        String(mtimeSeconds).padEnd(12),
        '0'.padEnd(6),
        '0'.padEnd(6),
        '100644'.padEnd(8),
        String(content.length).padEnd(10),
        '`\n',
      ].join('');
      return [Buffer.from(header), content, Buffer.from(content.length % 2 === 1 ? '\n' : '')];
    }),
  ]);
