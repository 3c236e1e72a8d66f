import { createHash, randomUUIDv7 } from 'node:crypto';
import { ApiError, type Document } from '@gatehouse/contract';
import { fold, type JsonObject } from '@gatehouse/filter';
import type { Clock } from '../../lib/scheduling/index.ts';
import { UniqueViolation } from '../../lib/threads/index.ts';
import type { KnowledgeEngine, KnowledgeScope } from '../../storage/ports/index.ts';
import { noSuchDocument, spaceGone } from './document.errors.ts';
import { createDocumentRepository, type DocumentRepository } from './document.repository.ts';
import {
  metadataColumns,
  metadataWrite,
  toDocument,
  toMetadata,
  valuesOf,
} from './document.rules.ts';
import { createDocumentChanges } from './document-changes.repository.ts';
import { sameMetadata } from './metadata.rules.ts';

/** A document that a request or an event sent, after validation. */
export interface SentDocument {
  readonly fileName: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** Undefined if none was sent: an existing document keeps its metadata. */
  readonly metadata: JsonObject | undefined;
  readonly language: string | undefined;
}

export interface AddedDocument {
  readonly document: Document;
  readonly isNew: boolean;
}

/**
 * Stores a document durably and queues it for the indexer. A file with the same bytes and name updates the metadata of
 * the existing document. If its format differs, such as HTML instead of text, it is indexed again.
 * Throws 403 if the space no longer exists.
 */
export type AddDocument = (scope: KnowledgeScope, sent: SentDocument) => Promise<AddedDocument>;

export interface DocumentsDeps {
  readonly engine: KnowledgeEngine;
  readonly clock: Clock;
  /** Called when there is a document to index, or a deleted one to clean up. */
  readonly onWork: () => void;
}

/** Maximum attempts while others upload and delete the same file concurrently. */
const MAX_ATTEMPTS = 20;

type ExistingDocument = NonNullable<Awaited<ReturnType<DocumentRepository['findFile']>>>;

export function createUpload({ engine, clock, onWork }: DocumentsDeps): AddDocument {
  const documents = createDocumentRepository(engine);
  const changes = createDocumentChanges(engine);
  const now = () => new Date(clock()).toISOString();

  const stored = async (scope: KnowledgeScope, id: string): Promise<Document> => {
    const row = await documents.find(scope, id);
    if (row === undefined) throw noSuchDocument();
    return toDocument(row);
  };

  async function updateExisting(
    scope: KnowledgeScope,
    sent: SentDocument,
    existing: ExistingDocument,
  ): Promise<AddedDocument> {
    const { metadata } = sent;
    if (metadata !== undefined && !sameMetadata(metadata, toMetadata(existing.metadata))) {
      const changed = await changes.changeMetadata(
        scope,
        existing.number,
        metadataWrite(metadata, now()),
      );
      if (!changed) throw noSuchDocument();
    }
    if (sent.language !== undefined && sent.language !== existing.language)
      await changes.changeLanguage(scope, existing.number, sent.language, now());
    await reindex(scope, sent, existing);
    return { document: await stored(scope, existing.id), isNew: false };
  }

  /** Queues the document for the indexer if its format changed or its extraction failed. */
  async function reindex(
    scope: KnowledgeScope,
    { mimeType, bytes }: SentDocument,
    existing: ExistingDocument,
  ): Promise<void> {
    if (mimeType !== existing.mime_type) {
      const format = { mimeType, time: now() };
      if (!(await changes.changeFormat(scope, existing.number, format, bytes)))
        throw noSuchDocument();
    } else if (existing.state === 'failed') await changes.retryIndexing(scope, existing.number);
    else return;
    onWork();
  }

  async function addNew(
    scope: KnowledgeScope,
    sent: SentDocument,
    sha256: string,
  ): Promise<AddedDocument> {
    const { fileName, mimeType, bytes, metadata = {}, language } = sent;
    const time = now();
    const id = randomUUIDv7();
    const row = {
      id,
      space_id: scope.spaceId,
      file_name: fileName,
      file_name_folded: fold(fileName),
      mime_type: mimeType,
      language: language ?? null,
      size: bytes.length,
      sha256,
      ...metadataColumns(metadata),
      created_at: time,
      updated_at: time,
    };
    if (!(await changes.insert(row, bytes, valuesOf(metadata)))) throw spaceGone();
    onWork();
    return { document: await stored(scope, id), isNew: true };
  }

  return async (scope, sent) => {
    const sha256 = createHash('sha256').update(sent.bytes).digest('hex');
    const file = { sha256, fileName: sent.fileName };
    for (let attempt = 1; ; attempt++) {
      try {
        const existing = await documents.findFile(scope, file);
        if (existing !== undefined) return await updateExisting(scope, sent, existing);
        return await addNew(scope, sent, sha256);
      } catch (error) {
        // Another request stored or deleted the same file in between.
        const isConcurrent =
          error instanceof UniqueViolation ||
          (error instanceof ApiError && error.code === 'knowledge.not-found');
        if (!isConcurrent || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  };
}
