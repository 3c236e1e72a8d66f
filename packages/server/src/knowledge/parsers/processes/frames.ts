import type { Readable } from 'node:stream';

/*
 * Messages between the service and a parser process. A frame is the length of its content (4 bytes, big-endian), its kind
 * (1 byte) and its content. The bytes of a document follow its `document` frame without frames of their own.
 */
export const FRAME = {
  /** To the process: JSON of `DocumentHeader`. */
  document: 1,
  /** From the process: it waits for a document. */
  ready: 2,
  /** From the process: JSON of `ParseResult`. */
  result: 3,
  /** From the process, after a successful result: JSON of an array of passages. */
  passages: 4,
} as const;

export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

export const HEADER_BYTES = 5;
/** Maximum content of a frame in bytes. The largest batch of passages is much smaller. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024;

export function toFrame(kind: FrameKind, content: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(content));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(json.length);
  header[HEADER_BYTES - 1] = kind;
  return Buffer.concat([header, json]);
}

/** Returns the kind and the content length of a frame. */
export function readHeader(header: Buffer): { kind: number; length: number } {
  return { kind: header[HEADER_BYTES - 1] ?? 0, length: header.readUInt32BE() };
}

/** The process ended while the service waited for a message. */
export class ParserEnded extends Error {
  override readonly name = 'ParserEnded';

  /** @param how a signal, an exit code or another reason. */
  constructor(how: string, options?: ErrorOptions) {
    super(`The parser process ended (${how}).`, options);
  }
}

/** Reads frames from a stream. Does not buffer more than the current frame, so a slow caller slows down the writer. */
export class FrameReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /**
   * Returns the JSON of the next frame.
   *
   * @throws ParserEnded if the stream ends.
   * @throws Error if the next frame has another kind or is too large.
   */
  async next(expected: FrameKind): Promise<unknown> {
    const { kind, length } = readHeader(await this.#take(HEADER_BYTES));
    if (kind !== expected || length > MAX_FRAME_BYTES)
      throw new Error('The parser process sent an unexpected message.');
    const json: unknown = JSON.parse((await this.#take(length)).toString('utf8'));
    return json;
  }

  async #take(size: number): Promise<Buffer> {
    const chunks = [this.#rest];
    let length = this.#rest.length;
    while (length < size) {
      const { value, done } = await this.#chunks.next().catch((cause) => {
        throw new ParserEnded('output closed', { cause });
      });
      if (done === true) throw new ParserEnded('output ended');
      chunks.push(value);
      length += value.length;
    }
    const bytes = Buffer.concat(chunks, length);
    this.#rest = bytes.subarray(size);
    return bytes.subarray(0, size);
  }
}
