import { fromStored, type StoredTexts, toStored } from '../../event-log/stored-texts.ts';
import type { CopyRow } from '../../ports/copy.ts';
import type { Row } from '../pool.ts';

const KEY_BYTES = 16;
const END_BYTES = 4;

/** A row of a batch without the events in it that had been kept before, as the embedded store keeps it. */
export function withoutKnown({ known, ...row }: Row): CopyRow {
  const batch = row as CopyRow;
  const places = known as readonly number[] | null;
  return places === null ? batch : { ...batch, ...reduced(batch, new Set(places)) };
}

function reduced(batch: CopyRow, known: ReadonlySet<number>): CopyRow {
  const ends = batch['ends'] as Buffer;
  const identities = batch['identities'] as Buffer;
  const stored = { encoding: batch['encoding'], bytes: batch['texts'] } as StoredTexts;
  const texts = fromStored(stored);
  const endOf = (place: number) => (place < 0 ? 0 : ends.readUInt32LE(place * END_BYTES));
  const places = Array.from({ length: ends.byteLength / END_BYTES }, (_, place) => place);
  const fresh = places.filter((place) => !known.has(place));
  const kept = fresh.map((place) => texts.subarray(endOf(place - 1), endOf(place)));
  const newEnds = Buffer.alloc(fresh.length * END_BYTES);
  let end = 0;
  for (const [index, text] of kept.entries()) {
    end += text.byteLength;
    newEnds.writeUInt32LE(end, index * END_BYTES);
  }
  const packed = toStored(Buffer.concat(kept));
  return {
    identities: Buffer.concat(
      fresh.map((place) => identities.subarray(place * KEY_BYTES, (place + 1) * KEY_BYTES)),
    ),
    ends: newEnds,
    encoding: packed.encoding,
    texts: packed.bytes,
  };
}
