import type { JsonObject } from '@gatehouse/filter';
import { LRUCache } from 'lru-cache';

/** Minimum length of cached metadata in code units. Shorter metadata is parsed in a few microseconds. */
const MIN_LENGTH = 1024;
/** Maximum total length of cached metadata in code units. The parsed metadata takes about three times as many bytes. */
const MAX_TOTAL_LENGTH = 4_194_304;

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
    maxSize: MAX_TOTAL_LENGTH,
    sizeCalculation: ({ text }) => text.length,
  });

  /** @param text JSON of an object. The result must not be modified. */
  parse(document: number, text: string): JsonObject {
    if (text.length < MIN_LENGTH) return JSON.parse(text) as JsonObject;
    const known = this.#cache.get(document);
    if (known?.text === text) return known.metadata;
    const metadata = JSON.parse(text) as JsonObject;
    this.#cache.set(document, { text, metadata });
    return metadata;
  }
}
