import { canonicalJson, measureJson, NotCanonical, TOO_MANY } from '../../lib/json/index.ts';
import type { ReadEvent } from '../formats/read-event.rules.ts';

/**
 * How many members and elements a request may have for its events to be verified one by one: to put
 * so many in order takes 30 ms, about what it takes to parse 8 MiB.
 */
export const MAX_SIGNED_VALUES = 20_000;

/** What is signed of an event; or, as the end of a sentence, why it cannot be verified. */
export type SignedText =
  | { readonly ok: true; readonly text: string; readonly id: string; readonly source: string }
  | { readonly ok: false; readonly problem: string };

/**
 * Makes what the signature in an event's `auth` is over, behind id and time: the canonical form
 * (RFC 8785) of the event without `auth`.
 *
 * @param bytes what the events' offsets are about.
 */
export function createSignedTexts(bytes: Uint8Array): (event: ReadEvent) => SignedText {
  let tooMany: boolean | undefined;
  return ({ id, source, start, cutStart, cutEnd, end }) => {
    if (id === null || source === null) return cannot('without an id and a source');
    tooMany ??= measureJson(bytes, Number.POSITIVE_INFINITY, MAX_SIGNED_VALUES) === TOO_MANY;
    if (tooMany)
      return cannot(
        `in a request with more than ${MAX_SIGNED_VALUES} members and elements; send fewer, or sign the whole body by webhook-signature`,
      );
    const text = Buffer.concat([bytes.subarray(start, cutStart), bytes.subarray(cutEnd, end)]);
    try {
      return { ok: true, text: canonicalJson(text), id, source };
    } catch (error) {
      if (error instanceof NotCanonical) return cannot(`because ${error.message}`);
      throw error;
    }
  };
}

function cannot(problem: string): SignedText {
  return { ok: false, problem };
}
