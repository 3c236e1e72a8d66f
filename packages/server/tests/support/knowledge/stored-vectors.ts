import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ON_POSTGRES } from '../storage/backend.ts';
import { stored } from '../storage/stored.ts';

export interface StoredVectors {
  readonly waiting: number;
  readonly rows: number;
  readonly sketches: number;
  readonly passages: number;
  readonly models: readonly string[];
}

export async function storedVectors(dataDir: string): Promise<StoredVectors> {
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

/** Waits until the stored vectors match a condition and returns their counts. */
export async function untilVectorsStored(
  dataDir: string,
  isWanted: (kept: StoredVectors) => boolean = ({ waiting }) => waiting === 0,
): Promise<StoredVectors> {
  for (let wait = 0; wait < 2400; wait++) {
    const kept = await storedVectors(dataDir);
    if (isWanted(kept)) return kept;
    await sleep(50);
  }
  return assert.fail(
    `the vectors were not stored within two minutes: ${JSON.stringify(await storedVectors(dataDir))}`,
  );
}
