import { randomUUIDv7 } from 'node:crypto';
import { UniqueViolation } from '../../lib/threads/index.ts';
import { recordAction } from '../../platform/audit/index.ts';
import {
  type DocumentRow,
  inTransaction,
  type KnowledgeDatabase,
  type KnowledgeScope,
  type Write,
} from '../../storage/ports/index.ts';
import { noSuchDocument, spaceGone } from '../documents/document.errors.ts';
import { createDocumentRepository } from '../documents/document.repository.ts';
import { metadataColumns, toDocument, toMetadata, valuesOf } from '../documents/document.rules.ts';
import { valueWrites } from '../documents/document-values.repository.ts';
import { sameMetadata } from '../documents/metadata.rules.ts';
import type { SentDocument } from '../documents/sent-document.ts';
import type { AddedDocument, DocumentsDeps } from '../documents/upload.service.ts';
import { numberFor } from '../uploads/content.ts';
import { type DocumentVersion, isSameFile, versionOf } from './version.rules.ts';
import { createVersionWrites } from './version-writes.repository.ts';

/**
 * Creates or replaces the document with a key. Resets omitted properties. Until the new version is indexed, the previous version
 * stays searchable, in scopes that contain both versions. Throws 403 if the space no longer exists.
 */
export type PutDocument = (
  scope: KnowledgeScope,
  key: string,
  sent: SentDocument,
) => Promise<AddedDocument>;

/** Maximum attempts when other requests create and delete the document concurrently. */
const MAX_ATTEMPTS = 20;

const KNOWN = [
  'id',
  'number',
  'next_number',
  'state',
  'created_at',
  'file_name',
  'mime_type',
  'language',
  'given_title',
  'url',
  'sha256',
  'metadata',
] as const;

type Stored = Pick<DocumentRow, Exclude<(typeof KNOWN)[number], 'number'>> & {
  readonly number: number;
};

export function createPutDocument({ engine, clock, onWork }: DocumentsDeps): PutDocument {
  const documents = createDocumentRepository(engine);
  const versions = createVersionWrites(engine);
  const { db, index } = engine;

  async function nextNumber(
    trx: KnowledgeDatabase,
    spaceId: string,
    { content }: DocumentVersion,
  ): Promise<number> {
    const number = await numberFor(engine, trx, spaceId, content);
    if (number === null) throw spaceGone();
    return number;
  }

  /** Returns the id of the document and `true` if it is new. */
  async function put(
    trx: KnowledgeDatabase,
    spaceId: string,
    key: string,
    version: DocumentVersion,
  ): Promise<{ id: string; isNew: boolean }> {
    const inSpace = trx.selectFrom('documents').where('space_id', '=', spaceId).select(KNOWN);
    const current = await inSpace.where('external_key', '=', key).executeTakeFirst();
    if (current === undefined) {
      const id = randomUUIDv7();
      const { updated_at: created_at } = version.columns;
      const identity = { id, space_id: spaceId, created_at, external_key: key };
      const number = await nextNumber(trx, spaceId, version);
      await run(trx, versions.insert(identity, number, version));
      await recordAction(trx, { action: 'document.created', spaceId, resourceId: id });
      return { id, isNew: true };
    }
    const { next_number } = current;
    const newest =
      next_number === null
        ? current
        : await inSpace.where('number', '=', next_number).executeTakeFirstOrThrow();
    const writes = await changes(trx, spaceId, current, newest, version);
    await run(trx, writes);
    if (writes.length > 0)
      await recordAction(trx, { action: 'document.replaced', spaceId, resourceId: current.id });
    return { id: current.id, isNew: false };
  }

  async function changes(
    trx: KnowledgeDatabase,
    spaceId: string,
    current: Stored,
    newest: Stored,
    version: DocumentVersion,
  ): Promise<Write[]> {
    const isIndexedAgain = !isSameFile(newest, version) || newest.state === 'failed';
    if (!isIndexedAgain && (newest === current || isSameRecord(newest, version)))
      return update(spaceId, newest, version);
    const number = await nextNumber(trx, spaceId, version);
    if (current.state !== 'ready') return versions.replace(spaceId, current, number, version);
    const staged = {
      id: randomUUIDv7(),
      space_id: spaceId,
      created_at: current.created_at,
      replaces: current.number,
    };
    return [
      ...(newest === current ? [] : supersede(spaceId, newest, version)),
      ...versions.insert(staged, number, version),
      db
        .updateTable('documents')
        .set({ next_number: number })
        .where('space_id', '=', spaceId)
        .where('number', '=', current.number),
    ];
  }

  /** Changes the properties of an unchanged file. An omitted language does not change, because it may come from the file. */
  function update(
    spaceId: string,
    stored: Stored,
    { columns, metadata }: DocumentVersion,
  ): Write[] {
    const { given_title, url, updated_at } = columns;
    const language = columns.language ?? stored.language;
    const isSame =
      sameMetadata(metadata, toMetadata(stored.metadata)) &&
      language === stored.language &&
      given_title === stored.given_title &&
      url === stored.url;
    if (isSame) return [];
    const { number } = stored;
    return [
      db
        .updateTable('documents')
        .set({ ...metadataColumns(metadata), language, given_title, url, updated_at })
        .where('space_id', '=', spaceId)
        .where('number', '=', number),
      ...valueWrites(
        db,
        { spaceId, number },
        valuesOf(toMetadata(stored.metadata)),
        valuesOf(metadata),
      ),
    ];
  }

  /**
   * Ends the indexing of a version that is superseded by a newer version. The record of the superseded version still restricts
   * who can see the current version. Otherwise, text hidden by one request would become visible again after the next request.
   */
  function supersede(spaceId: string, superseded: Stored, version: DocumentVersion): Write[] {
    const { number } = superseded;
    if (isSameRecord(superseded, version)) return versions.remove(spaceId, superseded);
    return [
      db
        .updateTable('documents')
        .set({ state: 'failed', failure: null })
        .where('space_id', '=', spaceId)
        .where('number', '=', number),
      db
        .deleteFrom('document_parts')
        .where('space_id', '=', spaceId)
        .where('document', '=', number),
      index.queueCleanupWrite({ spaceId, number }),
    ];
  }

  return async (scope, key, sent) => {
    const version = versionOf(sent, clock());
    for (let attempt = 1; ; attempt += 1)
      try {
        const { id, isNew } = await inTransaction(db, (trx) =>
          put(trx, scope.spaceId, key, version),
        );
        onWork();
        const row = await documents.find(scope, id);
        if (row === undefined) throw noSuchDocument();
        return { document: toDocument(row), isNew };
      } catch (error) {
        if (!(error instanceof UniqueViolation) || attempt === MAX_ATTEMPTS) throw error;
      }
  };
}

/** Reports whether every filter has the same result for a stored row and a version, except for filters on times. */
function isSameRecord(stored: Stored, { columns, metadata }: DocumentVersion): boolean {
  return (
    stored.file_name === columns.file_name &&
    stored.mime_type === columns.mime_type &&
    stored.language === columns.language &&
    sameMetadata(metadata, toMetadata(stored.metadata))
  );
}

async function run(trx: KnowledgeDatabase, writes: readonly Write[]): Promise<void> {
  for (const write of writes) await trx.executeQuery(write.compile());
}
