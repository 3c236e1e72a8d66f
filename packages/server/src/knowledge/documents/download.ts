import { Readable } from 'node:stream';
import type { Document } from '@gatehouse/contract';
import { ConfirmedRight } from '../../http/index.ts';

/** Characters that older clients do not understand in a `quoted-string` (RFC 9110). */
const NOT_PLAIN = /[^\x20-\x7e]|["\\%]/g;

type Original = Pick<Document, 'fileName' | 'bytes'>;

/**
 * Returns the response with an original. It is a stream, because whole files for slow clients would take too much memory.
 *
 * @param confirm called before a part is sent, at most once per 100 ms. The response breaks off if it rejects.
 */
export function downloadOf(
  original: Original,
  parts: AsyncIterable<Uint8Array>,
  confirm: () => Promise<unknown>,
) {
  const stream = Readable.from(whileConfirmed(parts, confirm), { objectMode: false });
  return { status: 200, stream, headers: downloadHeaders(original) } as const;
}

async function* whileConfirmed(
  parts: AsyncIterable<Uint8Array>,
  confirm: () => Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  const right = new ConfirmedRight();
  for await (const part of parts) {
    // A client that reads slowly can hold a download back for hours.
    await right.renew(confirm);
    yield part;
  }
}

/**
 * Returns the headers of an original. Any editor may upload HTML, so an original is always an attachment (RFC 6266,
 * RFC 8187) that a browser does not run.
 */
function downloadHeaders({ fileName, bytes }: Original): Record<string, string> {
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
