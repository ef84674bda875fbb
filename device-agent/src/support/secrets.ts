const secretName = /TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIAL|PRIVATE|_KEY$/i;
const cut = '[removed]';

/** Shorter values are not secrets, and removing them everywhere would make the rest unreadable. */
const shortestSecret = 6;

/** Decoded; a single % stays as it is. */
const decoded = (password: string): string => {
  try {
    return decodeURIComponent(password);
  } catch (error) {
    if (error instanceof URIError) return password;
    throw error;
  }
};

/** The values of an environment that must not leave the board, and passwords inside its addresses. */
export const secretsIn = (env: NodeJS.Dict<string>): string[] =>
  Object.entries(env)
    .flatMap(([name, value = '']) => {
      if (secretName.test(name)) return [value];
      const password = URL.canParse(value) ? new URL(value).password : '';
      return password === '' ? [] : [password, decoded(password)];
    })
    .filter((value) => value.length >= shortestSecret);

/** The same text without them, in any encoding. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string => {
  const forms = new Set(
    secrets.flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]),
  );
  let safe = text;
  // Longest first: one may be a prefix of another.
  for (const form of [...forms].toSorted((a, b) => b.length - a.length)) safe = safe.replaceAll(form, cut);
  return safe
    .replaceAll(/(authorization"?\s*[:=]\s*"?\s*bearer\s+)[\w.~+/=-]+/gi, `$1${cut}`)
    .replaceAll(/PAIR(?:-[BCDFGHJKLMNPQRSTVWXZ]{4}){3}/gi, `PAIR-${cut}`);
};
