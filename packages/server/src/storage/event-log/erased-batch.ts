import { type BatchTexts, matcher } from './page.ts';
import { type StoredTexts, toBytes, toStored } from './stored-texts.ts';

/** The columns of a batch after some of its events were erased. */
export interface ErasedBatch {
  readonly texts: StoredTexts;
  readonly ends: Uint8Array;
  /** Number of erased events, without duplicates. */
  readonly erased: number;
}

/**
 * Empties the texts of all events with this `subject`, including duplicates. Returns `null` if the batch contains no such event.
 */
export function withoutSubject(
  { texts, ends, known = [] }: BatchTexts,
  subject: string,
): ErasedBatch | null {
  const { mayMatch, matches } = matcher({ subject });
  if (!mayMatch(texts)) return null;
  const duplicates = new Set(known);
  const kept: Buffer[] = [];
  const newEnds = new Uint32Array(ends.length);
  let [start, end, erased, isChanged] = [0, 0, 0, false];
  for (const [index, oldEnd] of ends.entries()) {
    const text = texts.subarray(start, oldEnd);
    start = oldEnd;
    if (text.length > 0 && mayMatch(text) && matches(text.toString('utf8'))) {
      isChanged = true;
      if (!duplicates.has(index)) erased += 1;
    } else {
      kept.push(text);
      end += text.length;
    }
    newEnds[index] = end;
  }
  if (!isChanged) return null;
  return { texts: toStored(Buffer.concat(kept)), ends: toBytes(newEnds), erased };
}
