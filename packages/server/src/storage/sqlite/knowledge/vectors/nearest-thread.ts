import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { PASSAGES_PER_ROW } from '../../../vectors/chunks.ts';
import {
  CANDIDATES,
  type Near,
  NearestSketches,
  type SketchRow,
} from '../../../vectors/nearest-sketches.ts';
import { cosineScore, scaled } from '../../../vectors/quantise.ts';
import { TopK } from '../../../vectors/top-k.ts';
import { answerQuestions, limitTime } from '../../reads/reader-thread.ts';
import type { Select } from '../../reads/select-thread.ts';
import { MAX_PASSAGES } from '../rowids.ts';

export interface NearestQuestion {
  /** Selects one row per document in the scope, and at most `fewDocuments + 1` rows. */
  readonly documents: Select;
  /** Selects the `SketchRow`s in the scope. Faster than `bySpace` for at most `fewDocuments` documents. */
  readonly byDocument: Select;
  /** Selects the same rows as `byDocument`. Faster than `byDocument` for many documents. */
  readonly bySpace: Select;
  readonly fewDocuments: number;
  readonly vector: Float32Array;
  readonly limit: number;
}

answerQuestions((db: DatabaseSync) => {
  const readVectors = db.prepare('select vectors from document_vectors where id = ?');
  const startTimer = limitTime(db);
  return ({
    documents,
    byDocument,
    bySpace,
    fewDocuments,
    vector,
    limit,
  }: NearestQuestion): Near[] => {
    startTimer();
    const query = scaled(vector);
    const count = db.prepare(documents.sql).all(...documents.parameters).length;
    const rows = readSketches(db, count > fewDocuments ? bySpace : byDocument);
    const candidates = nearestBySketch(rows, query, limit * CANDIDATES);
    return rankByVector(readVectors, candidates, query, limit);
  };
});

function readSketches(db: DatabaseSync, { sql, parameters }: Select): Iterable<SketchRow> {
  const statement = db.prepare(sql);
  // Creating an object per row would take as long as reading the row.
  statement.setReturnArrays(true);
  return statement.iterate(...parameters) as Iterable<unknown> as Iterable<SketchRow>;
}

function nearestBySketch(rows: Iterable<SketchRow>, query: Float32Array, count: number): Near[] {
  const nearest = new NearestSketches(query, count);
  for (const row of rows) nearest.add(row);
  return nearest.sorted();
}

function rankByVector(
  readVectors: StatementSync,
  candidates: readonly Near[],
  query: Float32Array,
  limit: number,
): Near[] {
  const rows = new Map<bigint, Int8Array | null>();
  const best = new TopK<Near>(limit);
  for (const { number, position } of candidates) {
    const offset = position % PASSAGES_PER_ROW;
    const id = BigInt(number) * BigInt(MAX_PASSAGES) + BigInt(position - offset);
    if (!rows.has(id)) rows.set(id, vectorsOf(readVectors, id));
    const bytes = rows.get(id);
    if (!bytes) continue;
    best.add({ number, position, score: cosineScore(query, bytes, offset * query.length) });
  }
  return best.sorted();
}

function vectorsOf(readVectors: StatementSync, id: bigint): Int8Array | null {
  const vectors = readVectors.get(id)?.['vectors'];
  return vectors instanceof Uint8Array
    ? new Int8Array(vectors.buffer, vectors.byteOffset, vectors.length)
    : null;
}
