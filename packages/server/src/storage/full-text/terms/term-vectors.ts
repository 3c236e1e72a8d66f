import { ChunkTerms, type ChunkTermsSink, type SearchableTexts } from './chunk-terms.ts';

export type { SearchableTexts };

/** Number of occurrences of a term in each field of a passage. */
export interface Frequencies {
  readonly title: number;
  readonly heading: number;
  readonly body: number;
}

/** Version of the format. `decodeTermVectors` rejects other versions. */
const VERSION = 1;
/** Maximum frequency. Larger frequencies are stored as this value. */
const MAX_FREQUENCY = 255;
const FIELDS = 3;

/**
 * Encodes the terms of consecutive passages:
 *
 *     version, passages, length of each passage in terms, distinct terms, then per term:
 *       length in bytes, UTF-8 bytes, passages with the term, then per passage:
 *         distance to the previous passage × 2 + 1 if the term occurs once in the body and in no other field;
 *         otherwise distance × 2, followed by the frequencies in title, heading and body (a byte each)
 *
 * Numbers without a stated size have a variable length (LEB128). Frequencies are stored without field weights, so that the
 * weights can change without another encoding.
 */
export function encodeTermVectors(passages: readonly SearchableTexts[]): Uint8Array {
  const terms = new ChunkTerms();
  const output = new Output();
  output.number(VERSION);
  output.number(passages.length);
  for (const passage of passages) output.number(terms.add(passage));
  output.number(terms.size);
  terms.read(output);
  return output.bytes();
}

class Output implements ChunkTermsSink {
  #buffer = Buffer.allocUnsafe(1024);
  #length = 0;
  /** Passage of the last occurrence of the current term. */
  #before = 0;

  number(value: number): void {
    this.#reserve(5);
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[this.#length++] = rest;
  }

  term(bytes: Uint8Array, start: number, end: number, passages: number): void {
    this.#reserve(1 + end - start);
    this.#buffer[this.#length++] = end - start;
    for (let at = start; at < end; at++) this.#buffer[this.#length++] = bytes[at] as number;
    this.number(passages);
    this.#before = 0;
  }

  occurrence(passage: number, title: number, heading: number, body: number): void {
    const distance = passage - this.#before;
    this.#before = passage;
    if (title === 0 && heading === 0 && body === 1) this.number(distance * 2 + 1);
    else {
      this.number(distance * 2);
      this.#frequency(title);
      this.#frequency(heading);
      this.#frequency(body);
    }
  }

  #frequency(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = Math.min(value, MAX_FREQUENCY);
  }

  /** Returns a copy, because Node's pooled buffers cannot be stored without their pool. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#buffer.subarray(0, this.#length));
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(this.#buffer.length * 2);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** Receives the contents of a chunk. */
export interface TermVectorSink {
  passage(length: number): void;
  /** Receives the UTF-8 bytes of the next term. */
  term(bytes: Uint8Array, start: number, end: number): void;
  /** Receives an occurrence of the last term. `passage` is an index in the chunk, starting at 0. */
  occurrence(passage: number, title: number, heading: number, body: number): void;
}

/** Decodes the result of `encodeTermVectors`. Throws `RangeError` if the bytes have another version or are truncated. */
export function decodeTermVectors(bytes: Uint8Array, sink: TermVectorSink): void {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError('the term vectors are truncated');
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  if (number() !== VERSION) throw new RangeError('the term vectors have an unknown version');
  for (let left = number(); left > 0; left--) sink.passage(number());
  for (let left = number(); left > 0; left--) {
    const start = at + 1;
    at = start + (bytes[at] as number);
    sink.term(bytes, start, at);
    let passage = 0;
    for (let found = number(); found > 0; found--) {
      const head = number();
      passage += head >>> 1;
      if ((head & 1) === 1) sink.occurrence(passage, 0, 0, 1);
      else {
        sink.occurrence(
          passage,
          bytes[at] as number,
          bytes[at + 1] as number,
          bytes[at + 2] as number,
        );
        at += FIELDS;
      }
    }
  }
  if (at !== bytes.length) throw new RangeError('the term vectors are truncated');
}
