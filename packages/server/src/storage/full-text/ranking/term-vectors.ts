import { tokenise } from '../../../lib/text/index.ts';

/** The texts of a passage that a search can find. */
export interface SearchableTexts {
  readonly title: string;
  readonly heading: string;
  readonly body: string;
}

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
/** Maximum length of a term in UTF-8: 64 UTF-16 code units with three bytes each. */
const MAX_TERM_BYTES = 192;
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
  for (const [index, passage] of passages.entries()) output.number(terms.add(index, passage));
  output.number(terms.byTerm.size);
  for (const [term, occurrences] of terms.byTerm) writeTerm(output, term, occurrences);
  return output.bytes();
}

function writeTerm(output: Output, term: string, occurrences: readonly number[]): void {
  output.term(term);
  output.number(occurrences.length / (1 + FIELDS));
  let before = 0;
  for (let at = 0; at < occurrences.length; at += 1 + FIELDS) {
    const passage = occurrences[at] as number;
    const distance = passage - before;
    before = passage;
    const title = occurrences[at + 1] as number;
    const heading = occurrences[at + 2] as number;
    const body = occurrences[at + 3] as number;
    if (title === 0 && heading === 0 && body === 1) output.number(distance * 2 + 1);
    else {
      output.number(distance * 2);
      output.frequency(title);
      output.frequency(heading);
      output.frequency(body);
    }
  }
}

/** The terms of a chunk. The list of a term contains four numbers per passage: its index, and the frequency in each field. */
class ChunkTerms {
  readonly byTerm = new Map<string, number[]>();
  /** Terms of texts that several passages share, such as the title. */
  readonly #shared = new Map<string, readonly string[]>();

  /** Returns the length of the passage in terms. */
  add(passage: number, { title, heading, body }: SearchableTexts): number {
    return (
      this.#count(passage, this.#sharedTerms(title), 1) +
      this.#count(passage, this.#sharedTerms(heading), 2) +
      this.#count(passage, termsOf(body), 3)
    );
  }

  #sharedTerms(text: string): readonly string[] {
    const known = this.#shared.get(text) ?? termsOf(text);
    this.#shared.set(text, known);
    return known;
  }

  #count(passage: number, terms: readonly string[], field: number): number {
    for (const term of terms) {
      let occurrences = this.byTerm.get(term);
      if (occurrences === undefined) {
        occurrences = [];
        this.byTerm.set(term, occurrences);
      }
      if (occurrences.at(-1 - FIELDS) !== passage) occurrences.push(passage, 0, 0, 0);
      const at = occurrences.length - 1 - FIELDS + field;
      occurrences[at] = (occurrences[at] as number) + 1;
    }
    return terms.length;
  }
}

function termsOf(text: string): readonly string[] {
  return tokenise(text).map(({ term }) => term);
}

class Output {
  #buffer = Buffer.allocUnsafe(4096);
  #length = 0;

  number(value: number): void {
    this.#reserve(5);
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[this.#length++] = rest;
  }

  frequency(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = Math.min(value, MAX_FREQUENCY);
  }

  term(term: string): void {
    this.#reserve(1 + MAX_TERM_BYTES);
    const length = this.#buffer.write(term, this.#length + 1);
    this.#buffer[this.#length] = length;
    this.#length += 1 + length;
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
