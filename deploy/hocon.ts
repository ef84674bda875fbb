type Value = string | number | boolean | Value[] | { [key: string]: Value };
type Block = { [key: string]: Value };

/** Reads the part of HOCON that `brokers/emqx.conf` uses: objects, lists, strings, words, and keys with dots. */
export const readHocon = (text: string): Block => {
  const tokens = text.replaceAll(/^\s*#.*$/gm, '').match(/"[^"]*"|[{}[\]=,]|[\w.$-]+/g) ?? [];
  let at = 0;
  const next = (): string => tokens[at++] ?? '';
  const skip = (token: string): void => {
    if (tokens[at] === token) at += 1;
  };
  const readValue = (): Value => {
    const token = next();
    if (token === '{') return readBlock();
    if (token === '[') return readList();
    if (token.startsWith('"')) return token.slice(1, -1);
    if (token === 'true' || token === 'false') return token === 'true';
    return /^\d+$/.test(token) ? Number(token) : token;
  };
  const readList = (): Value[] => {
    const list: Value[] = [];
    for (; at < tokens.length && tokens[at] !== ']'; skip(',')) list.push(readValue());
    skip(']');
    return list;
  };
  const readBlock = (): Block => {
    const block: Block = {};
    for (; at < tokens.length && tokens[at] !== '}'; skip(',')) {
      const keys = next().split('.');
      skip('=');
      const last = keys.pop() ?? '';
      let place = block;
      for (const key of keys) place = (place[key] ??= {}) as Block;
      place[last] = readValue();
    }
    skip('}');
    return block;
  };
  return readBlock();
};
