import { promisify } from 'node:util';
import {
  brotliDecompress,
  constants,
  gunzip,
  inflate,
  inflateRaw,
  zstdDecompress,
} from 'node:zlib';

/** A decoded body, or the reason why the body cannot be used, such as `has more than 100 bytes`. */
export type SiteBody =
  | { readonly bytes: Uint8Array; readonly problem: null }
  | { readonly bytes: null; readonly problem: string };

type Decode = (
  bytes: Uint8Array,
  limit: { readonly maxOutputLength: number },
) => Promise<Uint8Array>;

const unzip = promisify(gunzip);
const unzlib = promisify(inflate);
const unraw = promisify(inflateRaw);
const unzstd = promisify(zstdDecompress);
/** Base-2 logarithm of the maximum window size of a zstd frame. The maximum is 8 MiB, as RFC 9659 requires. */
const ZSTD_WINDOW_LOG = 23;

/** Decoders by content coding (RFC 9110, section 8.4.1). They stop when the output exceeds the limit. */
const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', unzip],
  ['x-gzip', unzip],
  [
    'deflate',
    (bytes, limit) => (hasZlibHeader(bytes) ? unzlib(bytes, limit) : unraw(bytes, limit)),
  ],
  ['br', promisify(brotliDecompress)],
  [
    'zstd',
    (bytes, limit) =>
      unzstd(bytes, { ...limit, params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
  ],
]);
const MAX_CODINGS = 3;

export const tooLarge = (maxBytes: number): SiteBody => ({
  bytes: null,
  problem: `has more than ${maxBytes} bytes`,
});

/**
 * Decodes a body. Some sites compress responses although the request does not permit it.
 *
 * @param encoding value of `Content-Encoding`.
 * @param maxBytes limit of the body after each decoding step.
 */
export async function decodeBody(
  body: Uint8Array,
  encoding: string,
  maxBytes: number,
): Promise<SiteBody> {
  // Some servers send the header without a body, which no decoder accepts.
  if (body.length === 0) return { bytes: body, problem: null };
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const decoders = codings.map((coding) => DECODERS.get(coding));
  if (decoders.length > MAX_CODINGS || !decoders.every((decode) => decode !== undefined))
    return { bytes: null, problem: 'has an unsupported content encoding' };
  let bytes = body;
  try {
    for (const decode of decoders.toReversed())
      bytes = await decode(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(maxBytes);
    return { bytes: null, problem: 'does not match its content encoding' };
  }
  return { bytes, problem: null };
}

/** Reports whether data starts with a header of zlib (RFC 1950, section 2.2). Some servers send `deflate` without it, which browsers accept. */
function hasZlibHeader([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
}
