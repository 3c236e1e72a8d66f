import { randomUUIDv7 } from 'node:crypto';
import { UniqueViolation } from '../../lib/threads/index.ts';
import { recordAction } from '../../platform/audit/index.ts';
import {
  inReadCommitted,
  type KnowledgeDatabase,
  type KnowledgeScope,
  runWrites,
} from '../../storage/ports/index.ts';
import { noSuchDocument } from '../documents/document.errors.ts';
import { createDocumentRepository } from '../documents/document.repository.ts';
import { toDocument } from '../documents/document.rules.ts';
import { lockDocuments } from '../documents/lock-documents.repository.ts';
import type { SentDocument } from '../documents/sent-document.ts';
import type { AddedDocument, DocumentsDeps } from '../documents/upload.service.ts';
import { type DocumentVersion, versionOf } from './version.rules.ts';
import {
  createVersionChanges,
  KNOWN_OF_VERSION,
  newestVersion,
} from './version-changes.repository.ts';
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

export function createPutDocument({ engine, clock, onWork }: DocumentsDeps): PutDocument {
  const documents = createDocumentRepository(engine);
  const versions = createVersionWrites(engine);
  const { changes, nextNumber } = createVersionChanges(engine);
  const { db } = engine;

  /** Returns the ID of the document and `true` if it is new. */
  async function put(
    trx: KnowledgeDatabase,
    spaceId: string,
    key: string,
    version: DocumentVersion,
  ): Promise<{ id: string; isNew: boolean }> {
    const withKey = trx
      .selectFrom('documents')
      .where('space_id', '=', spaceId)
      .where('external_key', '=', key)
      .select(KNOWN_OF_VERSION);
    const [current] = await lockDocuments(engine, withKey);
    if (current === undefined) {
      const id = randomUUIDv7();
      const { updated_at: created_at } = version.columns;
      const identity = { id, space_id: spaceId, created_at, external_key: key };
      const number = await nextNumber(trx, spaceId, version);
      await runWrites(trx, versions.insert(identity, number, version));
      await recordAction(trx, { action: 'document.created', spaceId, resourceId: id });
      return { id, isNew: true };
    }
    const newest = await newestVersion(trx, spaceId, current);
    const writes = await changes(trx, spaceId, { current, newest }, version);
    await runWrites(trx, writes);
    if (writes.length > 0)
      await recordAction(trx, { action: 'document.replaced', spaceId, resourceId: current.id });
    return { id: current.id, isNew: false };
  }

  return async (scope, key, sent) => {
    const version = versionOf(sent, clock());
    for (let attempt = 1; ; attempt += 1)
      try {
        const { id, isNew } = await inReadCommitted(db, (trx) =>
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
