import type { DatabaseSync } from 'node:sqlite';
import type { RankedPassage } from '../../../ports/knowledge-engine.ts';
import { PASSAGES_PER_ROW } from '../../../vectors/chunks.ts';
import { LoadedVectorSpaces, type PermittedDocuments } from '../../../vectors/loaded/index.ts';
import { type Near, nearestPassages } from '../../../vectors/near.ts';
import { cosineScore, scaled } from '../../../vectors/quantise.ts';
import { CANDIDATES } from '../../../vectors/sketches/nearest-sketches.ts';
import { answerQuestions, limitTime } from '../../reads/reader-thread.ts';
import { Statements } from '../../statements.ts';
import { ChangeLog } from '../ranking/change-log.ts';
import { MAX_PASSAGES } from '../rowids.ts';
import type { ScopeSelects } from '../scope-selects.ts';
import { ScopeStatements } from '../scope-statements.ts';
import { prepareSketchReads } from './stored-sketches.ts';

export interface NearestQuestion {
  readonly spaceId: string;
  readonly selects: ScopeSelects;
  readonly model: string;
  readonly vector: Float32Array;
  readonly limit: number;
}

interface PassageRow extends Omit<RankedPassage, 'score'> {
  /** Index of the passage in the JSON array. */
  readonly rank: number;
}

/** `null`: the space is still being loaded. */
export type NearestAnswer = readonly RankedPassage[] | null;

answerQuestions((db: DatabaseSync) => {
  const log = new ChangeLog(db);
  const spaces = new LoadedVectorSpaces();
  const readsOf = prepareSketchReads(db);
  const rerank = prepareRerank(db);
  const statements = new Statements(db);
  const startTimer = limitTime(db);

  return async (question: NearestQuestion, step): Promise<NearestAnswer> => {
    const { spaceId, selects, model, vector, limit } = question;
    startTimer();
    // The changes, the scope and the passages are read from the same snapshot.
    db.exec('begin');
    try {
      spaces.record(log.next());
      const space = spaces.get(spaceId, { model, dimensions: vector.length });
      step.isShared = true;
      if (!(await space.update(readsOf(spaceId), step))) return null;
      step.isShared = false;
      const query = scaled(vector);
      const scope = new ScopeStatements(db, statements, selects);
      const candidates = await space.nearest(permittedDocuments(scope), query, limit * CANDIDATES);
      return readPassages(scope, rerank(candidates, query, limit));
    } finally {
      db.exec('commit');
      spaces.evict(spaceId);
    }
  };
});

function permittedDocuments(scope: ScopeStatements): PermittedDocuments {
  return {
    key: scope.key,
    documents: () => scope.candidates(),
    documentsAmong: (numbers) => scope.documentsAmong(numbers),
  };
}

/** Returns a function that selects the nearest candidates by their vectors. */
function prepareRerank(db: DatabaseSync) {
  const read = db.prepare(
    'select substr(vectors, ?, ?) as vector from document_vectors where id = ?',
  );
  read.setReturnArrays(true);

  return (candidates: readonly Near[], query: Float32Array, limit: number): readonly Near[] => {
    const nearest = nearestPassages(limit);
    for (const { number, position } of candidates) {
      const offset = position % PASSAGES_PER_ROW;
      const id = BigInt(number) * BigInt(MAX_PASSAGES) + BigInt(position - offset);
      const row = read.get(offset * query.length + 1, query.length, id) as unknown;
      const [bytes] = (row ?? []) as readonly Uint8Array[];
      if (bytes?.length !== query.length) continue;
      const vector = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
      nearest.add({ number, position, score: cosineScore(query, vector, 0) });
    }
    return nearest.sorted();
  };
}

/** Takes the scores from `near` instead of the rows, because SQLite may round numbers. */
function readPassages(scope: ScopeStatements, near: readonly Near[]): readonly RankedPassage[] {
  const rows = scope.passages(near) as unknown as readonly PassageRow[];
  return rows.map(({ rank, ...passage }) => ({ ...passage, score: near[rank]?.score ?? 0 }));
}
