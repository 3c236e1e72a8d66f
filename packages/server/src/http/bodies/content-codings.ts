import { Transform, type TransformCallback } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { ApiError } from '@gatehouse/contract';

const CHUNK_BYTES = 64 * 1024;
/** Base-2 logarithm of the maximum window size of a zstd frame. The maximum is 8 MiB, as RFC 9659 requires. */
const ZSTD_WINDOW_LOG = 23;

// A gzip body may have several members (RFC 1952, section 2.2), which `rejectGarbageAfterEnd` would reject. Without this option,
// data after the first member is still rejected unless it consists of further members or zeros.
const gunzip = () => createGunzip({ chunkSize: CHUNK_BYTES });

/** Decoders by content coding (RFC 9110, section 8.4.1; RFC 7932; RFC 9659). */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  deflate: () => createInflate({ chunkSize: CHUNK_BYTES, rejectGarbageAfterEnd: true }),
  br: () => createBrotliDecompress({ chunkSize: CHUNK_BYTES, rejectGarbageAfterEnd: true }),
  zstd: () =>
    createZstdDecompress({
      chunkSize: CHUNK_BYTES,
      rejectGarbageAfterEnd: true,
      params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
    }),
};

const MAX_CODINGS = 3;
const ACCEPTED = 'gzip, deflate, br, zstd';

/**
 * Returns the codings of a `Content-Encoding` header in the order in which they were applied, without `identity`.
 *
 * @throws {ApiError} 415 `http.encoding-unsupported` if a coding is unknown or there are more than three.
 */
export function readCodings(header: string): readonly string[] {
  const codings = header
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length <= MAX_CODINGS && codings.every((coding) => Object.hasOwn(DECODERS, coding)))
    return codings;
  throw new ApiError({
    status: 415,
    code: 'http.encoding-unsupported',
    message: `This content encoding is not supported; send at most ${MAX_CODINGS} of gzip, deflate, br and zstd, or an uncompressed body.`,
    headers: { 'accept-encoding': ACCEPTED },
  });
}

/** Creates the streams that undo these codings, starting with the last coding. */
export function decodersOf(codings: readonly string[]): Transform[] {
  return codings.toReversed().map((coding) => (DECODERS[coding] as () => Transform)());
}

export function brokenEncoding(): ApiError {
  return new ApiError({
    status: 400,
    code: 'http.malformed-encoding',
    message: 'The body does not match its Content-Encoding, or is incomplete.',
  });
}

/** Reports whether an `Accept-Encoding` header contains a coding with a weight above 0 (RFC 9110, section 12.5.3). */
export function acceptsCoding(header: string | string[] | undefined, coding: string): boolean {
  return String(header ?? '')
    .split(',')
    .some((item) => {
      const [name = '', ...parameters] = item
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      return name === coding && !parameters.some((text) => /^q=0(?:\.0*)?$/.test(text));
    });
}

/** A stream that counts the bytes that pass through, and fails if `admit` returns an error. */
export class Meter extends Transform {
  bytes = 0;
  readonly #admit: (bytes: number, more: number) => ApiError | null;

  /** @param admit receives the total number of bytes and the size of the current chunk. */
  constructor(admit: (bytes: number, more: number) => ApiError | null) {
    super();
    this.#admit = admit;
  }

  override _transform(chunk: Uint8Array, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    const error = this.#admit(this.bytes, chunk.length);
    if (error === null) done(null, chunk);
    else done(error);
  }
}
