import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

export interface KeptVectors {
  /** Documents that are ready and lack vectors. */
  readonly waiting: number;
  /** Rows of vectors. */
  readonly rows: number;
  /** Rows of sketches, which are as many. */
  readonly sketches: number;
  /** The passages that have vectors. */
  readonly passages: number;
  readonly models: readonly string[];
}

/** What the embedded store holds of vectors, which no interface shows. */
export function keptVectors(dataDir: string): KeptVectors {
  const db = new DatabaseSync(join(dataDir, 'gatehouse.db'), { readOnly: true });
  try {
    const one = (sql: string) => Number(Object.values(db.prepare(sql).get() ?? {})[0]);
    return {
      waiting: one(
        "select count(*) from documents where state <> 'failed' and embedded_by is null",
      ),
      rows: one('select count(*) from document_vectors'),
      sketches: one('select count(*) from document_sketches'),
      passages: one(
        'select total(length(vectors) / dimensions) from document_vectors join document_sketches using (id)',
      ),
      models: db
        .prepare('select distinct model from document_sketches order by model')
        .all()
        .map((row) => String(row['model'])),
    };
  } finally {
    db.close();
  }
}

/** Waits until what the store holds of vectors is as wanted, and gives it. */
export async function untilKept(
  dataDir: string,
  isWanted: (kept: KeptVectors) => boolean = ({ waiting }) => waiting === 0,
): Promise<KeptVectors> {
  for (let wait = 0; wait < 600; wait++) {
    const kept = keptVectors(dataDir);
    if (isWanted(kept)) return kept;
    await sleep(50);
  }
  return assert.fail(`not within half a minute: ${JSON.stringify(keptVectors(dataDir))}`);
}
