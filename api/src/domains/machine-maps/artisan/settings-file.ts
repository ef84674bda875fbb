/** The sections of an INI file as Qt writes it: by section and key, both in lower case. */
export interface SettingsFile {
  text(section: string, key: string): string | undefined;
  number(section: string, key: string): number | undefined;
  flag(section: string, key: string): boolean;
  /** A list: `a, "b, c", d`. Empty where the key is missing or has no value, which Qt also writes as `@Invalid()`. */
  list(section: string, key: string): string[];
  /** Whether the section exists; with a key, whether the key does, also one without a value. */
  has(section: string, key?: string): boolean;
}

const maxLines = 20_000;
const maxValueLength = 20_000;

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"', '0': '' };

/** `\n`, `\"` and `\xe9`, as Qt escapes them. */
const unescaped = (text: string): string =>
  text.replaceAll(
    /\\(?:x([0-9a-fA-F]{1,4})|([ntr"\\0]))/g,
    (whole, code: string | undefined, sign: string | undefined) =>
      code === undefined ? (escapes[sign ?? ''] ?? whole) : String.fromCharCode(Number.parseInt(code, 16)),
  );

const unquoted = (text: string): string => {
  const trimmed = text.trim();
  return unescaped(/^".*"$/s.test(trimmed) ? trimmed.slice(1, -1) : trimmed);
};

/** Parts between commas outside of quotes. */
const partsOf = (text: string): string[] => {
  const parts: string[] = [];
  let part = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (sign === '\\') {
      part += sign + (text[at + 1] ?? '');
      at += 1;
    } else if (sign === ',' && !isQuoted) {
      parts.push(part);
      part = '';
    } else {
      if (sign === '"') isQuoted = !isQuoted;
      part += sign;
    }
  }
  return [...parts, part].map(unquoted);
};

/** Reads the settings. Lines that are neither a section nor a key are left out. */
export const readSettingsFile = (text: string): SettingsFile => {
  const sections = new Map<string, Map<string, string>>();
  let section = new Map<string, string>();
  sections.set('general', section);
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/, maxLines)) {
    const head = /^\s*\[([^\]]{1,100})\]\s*$/.exec(line)?.[1];
    if (head !== undefined) {
      const name = head.toLowerCase();
      section = sections.get(name) ?? new Map<string, string>();
      sections.set(name, section);
      continue;
    }
    const sign = line.indexOf('=');
    if (sign <= 0 || line.length > maxValueLength) continue;
    section.set(line.slice(0, sign).trim().toLowerCase(), line.slice(sign + 1));
  }
  const raw = (name: string, key: string) => sections.get(name.toLowerCase())?.get(key.toLowerCase());
  return {
    text: (name, key) => {
      const value = raw(name, key);
      const read = value === undefined ? '' : unquoted(value);
      return read === '' ? undefined : read;
    },
    number: (name, key) => {
      const value = Number(unquoted(raw(name, key) ?? 'none'));
      return Number.isFinite(value) && (raw(name, key) ?? '').trim() !== '' ? value : undefined;
    },
    flag: (name, key) => /^\s*"?(?:true|1)"?\s*$/i.test(raw(name, key) ?? ''),
    list: (name, key) => {
      const value = raw(name, key);
      return value === undefined || value.trim() === '' || value.trim() === '@Invalid()' ? [] : partsOf(value);
    },
    has: (name, key) => (key === undefined ? sections.has(name.toLowerCase()) : raw(name, key) !== undefined),
  };
};
