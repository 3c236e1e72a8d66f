import type {
  DocumentProperties,
  ExtractionFailure,
  KnownMimeType,
  Passage,
} from '../extractor.ts';

export interface DocumentHeader {
  readonly mimeType: KnownMimeType;
  readonly size: number;
}

export type ParseResult =
  | ({
      readonly ok: true;
      /** Number of passages that follow in batches. */
      readonly passages: number;
    } & DocumentProperties)
  | ExtractionFailure;

/** Passages per message. The indexer stores a batch in one short transaction. */
export const PASSAGES_PER_BATCH = 50;

/*
 * A document may have taken over the process that parsed it, so the service checks the shape of each message.
 */

/** Returns the result. @throws Error if the message is not a result. */
export function readResult(message: unknown): ParseResult {
  if (!isObject(message)) throw unexpected();
  const { ok, passages, title, language, code, reason } = message;
  if (ok === true && Number.isSafeInteger(passages) && isText(title) && isText(language))
    return { ok, passages: Number(passages), title, language };
  if (ok === false && typeof code === 'string' && typeof reason === 'string')
    return { ok, code: code as ExtractionFailure['code'], reason };
  throw unexpected();
}

/** Returns the batch. @throws Error if the message is not an array of 1 to 50 passages. */
export function readBatch(message: unknown): readonly Passage[] {
  const isBatch =
    Array.isArray(message) && message.length > 0 && message.length <= PASSAGES_PER_BATCH;
  if (!isBatch || !message.every(isPassage)) throw unexpected();
  return message;
}

function isPassage(value: unknown): value is Passage {
  if (!isObject(value)) return false;
  const { heading, text } = value;
  const isHeading = Array.isArray(heading) && heading.every((part) => typeof part === 'string');
  return isHeading && typeof text === 'string' && text !== '';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function unexpected(): Error {
  return new Error('The parser process sent an unexpected message.');
}
