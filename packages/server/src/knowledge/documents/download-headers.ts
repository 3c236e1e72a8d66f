import type { Document } from '@gatehouse/contract';

/** Characters that older clients do not understand in a `quoted-string` (RFC 9110). */
const NOT_PLAIN = /[^\x20-\x7e]|["\\%]/g;

/**
 * Returns the headers of an original. Any editor may upload HTML, so an original is always an attachment (RFC 6266,
 * RFC 8187) that a browser does not run.
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
