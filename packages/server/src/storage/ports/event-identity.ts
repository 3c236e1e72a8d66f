import { hash } from 'node:crypto';

const BYTES = 16;

/**
 * The fingerprint of an event's identity (space, source, id): 16 bytes, as a string with one
 * character (U+0000–U+00FF, `latin1`) a byte. Equal fingerprints mean the same event: two different
 * ones would have to collide in 128 bits of SHA-256, which cannot be brought about on purpose.
 *
 * The lengths stand before the values, so that what is compared is three values: joined by any
 * separator, `("a b", "c")` and `("a", "b c")` would be one event, and the second would be lost.
 *
 * @param spaceId, source, id well-formed strings (no lone surrogates), of any length.
 */
export function identityOf(spaceId: string, source: string, id: string): string {
  const text = `${spaceId.length}:${source.length}:${spaceId}${source}${id}`;
  return hash('sha256', text, 'latin1').slice(0, BYTES);
}
