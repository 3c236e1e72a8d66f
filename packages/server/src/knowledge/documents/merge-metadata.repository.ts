import type { JsonObject } from '@gatehouse/filter';
import { recordAction } from '../../platform/audit/index.ts';
import {
  inReadCommitted,
  type KnowledgeDatabase,
  type KnowledgeEngine,
  type KnowledgeScope,
  runWrites,
} from '../../storage/ports/index.ts';
import { createVersionHistory } from '../versions/version-history.repository.ts';
import { invalid, noSuchDocuments } from './document.errors.ts';
import { createDocumentRepository } from './document.repository.ts';
import { metadataColumns, toMetadata, valuesOf } from './document.rules.ts';
import { replaceValues } from './document-values.repository.ts';
import { hasNumberIn, lockDocuments } from './lock-documents.repository.ts';
import { MAX_METADATA_BYTES, sameMetadata } from './metadata.rules.ts';
import type { DocumentsDeps } from './upload.service.ts';

/**
 * Sets metadata keys in several documents, in one transaction. Returns the number of documents. Throws 404 if a document does not
 * exist, and 400 if the metadata of a document becomes too large.
 */
export type MergeMetadata = (
  scope: KnowledgeScope,
  ids: readonly string[],
  metadata: JsonObject,
) => Promise<number>;

interface Target {
  readonly id: string;
  readonly number: number;
  readonly metadata: string;
}

export function createMergeMetadata({
  engine,
  clock,
}: Pick<DocumentsDeps, 'engine' | 'clock'>): MergeMetadata {
  const documents = createDocumentRepository(engine);
  const history = createVersionHistory(engine.db);

  return async (scope, ids, metadata) => {
    const { spaceId } = scope;
    const wanted = ids.map((id) => id.toLowerCase());
    const distinct = [...new Set(wanted)];
    const visible = new Set((await documents.named(scope, distinct)).map(({ id }) => id));
    const requireAll = (found: ReadonlySet<string>) => {
      const missing = wanted.flatMap((id, index) => (found.has(id) ? [] : [index]));
      if (missing.length > 0) throw noSuchDocuments(missing);
    };
    requireAll(visible);
    const updated_at = new Date(clock()).toISOString();
    await inReadCommitted(engine.db, async (trx) => {
      const targets = await lockTargets(engine, trx, spaceId, distinct);
      requireAll(new Set(targets.map(({ id }) => id)));
      const changes = targets.map((target) => {
        const old = toMetadata(target.metadata);
        return { ...target, old, merged: { ...old, ...metadata } };
      });
      const tooLarge = new Set(
        changes.filter(({ merged }) => isTooLarge(merged)).map(({ id }) => id),
      );
      if (tooLarge.size > 0)
        throw invalid(
          wanted.flatMap((id, index) => {
            const problem = `the metadata of this document would exceed ${MAX_METADATA_BYTES} bytes of JSON`;
            return tooLarge.has(id) ? [{ message: `ids[${index}]: ${problem}` }] : [];
          }),
        );
      for (const { id, number, old, merged } of changes) {
        if (sameMetadata(old, merged)) continue;
        await runWrites(trx, history.keepWrites(spaceId, id, number));
        await trx
          .updateTable('documents')
          .set({ ...metadataColumns(merged), updated_at })
          .where('space_id', '=', spaceId)
          .where('number', '=', number)
          .execute();
        await replaceValues(trx, { spaceId, number }, valuesOf(old), valuesOf(merged));
      }
      await recordAction(trx, {
        action: 'documents.changed',
        spaceId,
        resourceId: null,
        details: { count: distinct.length, changed: ['metadata'] },
      });
    });
    return distinct.length;
  };
}

/** Locks documents and returns their newest versions. */
async function lockTargets(
  engine: KnowledgeEngine,
  trx: KnowledgeDatabase,
  spaceId: string,
  ids: readonly string[],
): Promise<Target[]> {
  // Records are derived from events, so they count as missing.
  const documents = trx.selectFrom('documents').where('projection_id', 'is', null);
  const current = documents
    .where('space_id', '=', spaceId)
    .where('id', 'in', ids)
    .where('replaces', 'is', null)
    .select(['id', 'number', 'next_number', 'metadata']);
  const rows = await lockDocuments(engine, current, ids.length);
  const numbers = rows.flatMap(({ next_number }) => next_number ?? []);
  const versions =
    numbers.length === 0
      ? []
      : await documents
          .where(hasNumberIn(spaceId, numbers))
          .select(['number', 'metadata'])
          .execute();
  const newest = new Map(versions.map((version) => [version.number, version]));
  return rows.map(({ id, number, metadata, next_number }) => ({
    id,
    number,
    metadata,
    ...newest.get(next_number ?? number),
  }));
}

function isTooLarge(metadata: JsonObject): boolean {
  return Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES;
}
