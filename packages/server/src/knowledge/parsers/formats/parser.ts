import type { Facts } from '../facts.ts';
import type { Sink } from '../passages/block.ts';

/**
 * Reads one format: gives the document's blocks to `add` in its order. The bytes are the reader's own.
 * Throws a `Refusal` with words for its owner; whatever else it throws means that the file is damaged.
 */
export type Parser = (bytes: Uint8Array<ArrayBuffer>, add: Sink) => Facts | Promise<Facts>;

export const NO_FACTS: Facts = { title: null, language: null };
