import type { MessagePort } from 'node:worker_threads';
import type { Extraction, KnownMimeType, Passage } from './extractor.ts';

/** To the thread: a document, and where its passages go before the answer. */
export interface ReadRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mimeType: KnownMimeType;
  readonly passages: MessagePort;
}

/** From the thread, once all passages are on their port; with an `ok` answer come none. */
export type ReadReply = Extraction;

export type PassageBatch = readonly Passage[];

/** Passages that are received at once, which takes the event loop about a millisecond. */
export const PASSAGES_AT_ONCE = 500;
