import type { Roast } from '@roastery/contract/roasts';

/** `PR-0189abcd Guji.xlsx`, without what a file system can't hold. */
export const roastFileName = ({ roast_number: number, coffee_name: coffee }: Roast, ending: string): string => {
  const words = `${number}${coffee === null ? '' : ` ${coffee}`}`
    // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
    .replaceAll(/[\u0000-\u001f\u007f\\/:*?"<>|]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 120);
  return `${words}.${ending}`;
};

/** A download under this name: plain ASCII for old clients, UTF-8 for all others (RFC 6266). */
export const attachment = (fileName: string): string => {
  const ascii = fileName.replaceAll(/[^\u0020-\u007e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName).replaceAll(/['()*]/g, (sign) => `%${sign.codePointAt(0)?.toString(16)}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
};
