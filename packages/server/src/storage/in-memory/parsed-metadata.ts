import type { JsonObject, StoredRecord } from '@gatehouse/filter';
import { LRUCache } from 'lru-cache';

/** Minimum length of cached metadata in code units. Shorter metadata is parsed in a few microseconds. */
const MIN_LENGTH = 1024;
/** Maximum memory of the cache in bytes, as `bytesOf` estimates it. */
const MAX_BYTES = 16_777_216;
/** Above this size, few documents are added, because documents that are soon displaced again cost more time than they save. */
const FULL_BYTES = 0.9 * MAX_BYTES;
/** If the cache is full, only every n-th parsed document is added. */
const ADD_EVERY = 16;
/** Estimated memory of a value. An empty object takes 60 bytes. */
const BYTES_PER_VALUE = 80;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/** The columns of a document that filters read. */
export type FilterColumns = Readonly<
  Record<'number' | Exclude<keyof StoredRecord, 'parse'>, unknown>
>;

interface Parsed {
  readonly text: string;
  readonly metadata: JsonObject;
}

/**
 * Parses the metadata of documents. Remembers large metadata, because parsing 25 kB takes 0.07 ms, and different filters test the same
 * documents. The key is the number of the document, so the time does not reveal the metadata of other documents.
 */
export class ParsedMetadata {
  readonly #cache = new LRUCache<number, Parsed>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ text }) => bytesOf(text),
  });
  /** Number of documents that were parsed while the cache was full. */
  #parsedWhileFull = 0;

  /** Converts a row to a record for a `CompiledFilter`. */
  recordOf(row: FilterColumns): StoredRecord {
    const { number, fileName, mimeType, language, createdAt, updatedAt, metadata } = row;
    return {
      fileName: String(fileName),
      mimeType: String(mimeType),
      language: language === null ? null : String(language),
      createdAt: String(createdAt),
      updatedAt: String(updatedAt),
      metadata: String(metadata),
      parse: (text) => this.parse(Number(number), text),
    };
  }

  /** @param text JSON of an object. The result must not be modified. */
  parse(document: number, text: string): JsonObject {
    if (text.length < MIN_LENGTH) return JSON.parse(text) as JsonObject;
    const known = this.#cache.get(document);
    if (known?.text === text) return known.metadata;
    const metadata = JSON.parse(text) as JsonObject;
    if (this.#mayAdd()) this.#cache.set(document, { text, metadata });
    return metadata;
  }

  #mayAdd(): boolean {
    if (this.#cache.calculatedSize < FULL_BYTES) return true;
    this.#parsedWhileFull += 1;
    return this.#parsedWhileFull % ADD_EVERY === 0;
  }
}

/** Estimates the memory of a text and its parsed value. Empty objects take 20 times as many bytes as their text. */
function bytesOf(text: string): number {
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Each value except the first one follows one of these characters.
    if (code === COMMA || code === OPENING_BRACKET || code === OPENING_BRACE) values++;
  }
  return 2 * text.length + BYTES_PER_VALUE * values;
}
