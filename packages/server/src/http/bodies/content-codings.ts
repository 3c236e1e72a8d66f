import { Transform, type TransformCallback } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { ApiError } from '@gatehouse/contract';

/** How much is unpacked at once. */
const CHUNK_BYTES = 64 * 1024;
/** The window that a zstd frame may ask memory for: 8 MiB, as RFC 9659 bounds it on the web. */
const ZSTD_WINDOW_LOG = 23;

// Several members are one body (RFC 1952, section 2.2), which `rejectGarbageAfterEnd` takes for garbage; without it
// what follows is refused unless it is another member or zeros.
const gunzip = () => createGunzip({ chunkSize: CHUNK_BYTES });

/** RFC 9110, section 8.4.1; RFC 7932; RFC 9659. */
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
 * The codings of a `Content-Encoding` header that have to be undone, in the order they were applied;
 * none for `identity`.
 *
 * @throws ApiError 415 `http.encoding-unsupported` for one that is not understood, or more than three.
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
    message: `The content encoding is not understood here; send gzip, deflate, br or zstd, at most ${MAX_CODINGS} over each other, or the body uncompressed.`,
    headers: { 'accept-encoding': ACCEPTED },
  });
}

/** The streams that undo these codings, the last one first. */
export function decodersOf(codings: readonly string[]): Transform[] {
  return codings.toReversed().map((coding) => (DECODERS[coding] as () => Transform)());
}

/** 400: the stream breaks off, or is not of the coding that is named. */
export function brokenEncoding(): ApiError {
  return new ApiError({
    status: 400,
    code: 'http.malformed-encoding',
    message: 'The body is not what its Content-Encoding says, or is incomplete.',
  });
}

/** Reports whether an `Accept-Encoding` header names a coding and does not refuse it (RFC 9110, 12.5.3). */
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

/** Passes bytes on and hands each chunk to `admit`, which gives an error when there are too many. */
export class Meter extends Transform {
  /** So far. */
  bytes = 0;
  readonly #admit: (bytes: number, more: number) => ApiError | null;

  /** @param admit told how many bytes there are now, and how many of them just came. */
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
