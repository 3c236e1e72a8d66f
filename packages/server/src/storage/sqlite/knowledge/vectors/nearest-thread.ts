import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { PASSAGES_PER_ROW } from '../../../vectors/chunks.ts';
import {
  CANDIDATES,
  type Near,
  NearestSketches,
  type SketchRow,
} from '../../../vectors/nearest-sketches.ts';
import { nearness, scaled } from '../../../vectors/quantise.ts';
import { TopK } from '../../../vectors/top-k.ts';
import { answerQuestions, limitTime } from '../../reads/reader-thread.ts';
import type { Select } from '../../reads/select-thread.ts';
import { MAX_PASSAGES } from '../rowids.ts';

export interface NearestQuestion {
  /** Gives a row for each document in the scope, one more than `fewDocuments` at most. */
  readonly documents: Select;
  /**
   * Both give the same: the document's number, the position of the first passage, and the sketches, of the
   * rows that may be compared, and of no other. The first is quicker for few documents.
   */
  readonly few: Select;
  readonly many: Select;
  readonly fewDocuments: number;
  readonly vector: Float32Array;
  readonly limit: number;
}

answerQuestions((db: DatabaseSync) => {
  const readVectors = db.prepare('select vectors from document_vectors where id = ?');
  const begin = limitTime(db);
  return ({ documents, few, many, fewDocuments, vector, limit }: NearestQuestion): Near[] => {
    begin();
    const query = scaled(vector);
    const count = db.prepare(documents.sql).all(...documents.parameters).length;
    const rows = readSketches(db, count > fewDocuments ? many : few);
    const candidates = nearestBySketch(rows, query, limit * CANDIDATES);
    return compared(readVectors, candidates, query, limit);
  };
});

function readSketches(db: DatabaseSync, { sql, parameters }: Select): Iterable<SketchRow> {
  const statement = db.prepare(sql);
  // Making an object of each row would take as long as reading it.
  statement.setReturnArrays(true);
  return statement.iterate(...parameters) as Iterable<unknown> as Iterable<SketchRow>;
}

function nearestBySketch(rows: Iterable<SketchRow>, query: Float32Array, count: number): Near[] {
  const nearest = new NearestSketches(query, count);
  for (const row of rows) nearest.add(row);
  return nearest.sorted();
}

function compared(
  readVectors: StatementSync,
  candidates: readonly Near[],
  query: Float32Array,
  limit: number,
): Near[] {
  const rows = new Map<bigint, Int8Array | null>();
  const best = new TopK<Near>(limit);
  for (const { number, position } of candidates) {
    const place = position % PASSAGES_PER_ROW;
    const id = BigInt(number) * BigInt(MAX_PASSAGES) + BigInt(position - place);
    if (!rows.has(id)) rows.set(id, vectorsOf(readVectors, id));
    const bytes = rows.get(id);
    if (!bytes) continue;
    best.add({ number, position, score: nearness(query, bytes, place * query.length) });
  }
  return best.sorted();
}

/** Null when they were removed a moment ago. */
function vectorsOf(readVectors: StatementSync, id: bigint): Int8Array | null {
  const vectors = readVectors.get(id)?.['vectors'];
  return vectors instanceof Uint8Array
    ? new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length)
    : null;
}
