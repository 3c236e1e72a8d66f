import { canonicalJson, measureJson, NotCanonical, TOO_MANY } from '../../lib/json/index.ts';
import type { ReadEvent } from '../formats/read-event.rules.ts';

/**
 * Maximum number of members and elements in a request whose events are verified individually. Sorting this many
 * for the canonical form takes about 30 ms.
 */
const MAX_SIGNED_VALUES = 20_000;

/** The text that the sender of an event signs. `problem` completes the sentence "cannot be verified …". */
export type SignedText =
  | { readonly ok: true; readonly text: string; readonly id: string; readonly source: string }
  | { readonly ok: false; readonly problem: string };

/**
 * Returns a function that computes the canonical form (RFC 8785) of an event without `auth`. The signed text is
 * `<byte length of id>.<id>.<timestamp>.` followed by this text.
 *
 * @param bytes the body to which the events' offsets refer.
 */
export function createSignedTexts(bytes: Uint8Array): (event: ReadEvent) => SignedText {
  let tooMany: boolean | undefined;
  return ({ id, source, start, cutStart, cutEnd, end }) => {
    if (id === null || source === null) return cannot('without an id and a source');
    tooMany ??= measureJson(bytes, Number.POSITIVE_INFINITY, MAX_SIGNED_VALUES) === TOO_MANY;
    if (tooMany)
      return cannot(
        `in a request with more than ${MAX_SIGNED_VALUES} members and elements; send fewer, or sign the whole body with the webhook-signature header`,
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
