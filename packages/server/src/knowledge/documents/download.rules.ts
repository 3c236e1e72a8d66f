import type { Document } from '@gatehouse/contract';

/** What of a name an old client can read (RFC 9110, `quoted-string`); the rest becomes `_`. */
const NOT_PLAIN = /[^\x20-\x7e]|["\\%]/g;

/**
 * Headers of an original: always an attachment (RFC 6266, RFC 8187), of its own type but never one that
 * a browser would run, since anyone with edit rights may upload HTML.
 */
export function downloadHeaders({
  fileName,
  bytes,
}: Pick<Document, 'fileName' | 'bytes'>): Record<string, string> {
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const plain = fileName.replace(NOT_PLAIN, '_');
  return {
    'content-length': String(bytes),
    'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
    'content-security-policy': "sandbox; default-src 'none'",
  };
}
