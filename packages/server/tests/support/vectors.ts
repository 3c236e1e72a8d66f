import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ON_POSTGRES } from './backend.ts';
import { stored } from './stored.ts';

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

/** What the store holds of vectors, which no interface shows. */
export async function keptVectors(dataDir: string): Promise<KeptVectors> {
  const one = async (sql: string) =>
    Number(Object.values((await stored(dataDir, sql))[0] ?? {})[0]);
  const models = await stored(
    dataDir,
    'select distinct model from document_sketches order by model',
  );
  return {
    waiting: await one(
      "select count(*) from documents where state <> 'failed' and embedded_by is null",
    ),
    rows: await one('select count(*) from document_vectors'),
    sketches: await one('select count(*) from document_sketches'),
    passages: await one(
      `select coalesce(sum(length(vectors) / dimensions), 0) from document_vectors v
        join document_sketches s ${ON_POSTGRES ? 'using (space_id, document, position)' : 'using (id)'}`,
    ),
    models: models.map((row) => String(row['model'])),
  };
}

/** Waits until what the store holds of vectors is as wanted, and gives it. */
export async function untilKept(
  dataDir: string,
  isWanted: (kept: KeptVectors) => boolean = ({ waiting }) => waiting === 0,
): Promise<KeptVectors> {
  for (let wait = 0; wait < 600; wait++) {
    const kept = await keptVectors(dataDir);
    if (isWanted(kept)) return kept;
    await sleep(50);
  }
  return assert.fail(`not within half a minute: ${JSON.stringify(await keptVectors(dataDir))}`);
}
