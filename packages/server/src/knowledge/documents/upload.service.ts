import { randomUUIDv7 } from 'node:crypto';
import { ApiError, type Document } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import { UniqueViolation } from '../../lib/threads/index.ts';
import {
  type JoinedWrites,
  type KnowledgeEngine,
  type KnowledgeScope,
  NO_WRITES,
} from '../../storage/ports/index.ts';
import { type DocumentVersion, versionOf } from '../versions/version.rules.ts';
import { noSuchDocument, spaceGone } from './document.errors.ts';
import { createDocumentRepository, type DocumentRepository } from './document.repository.ts';
import { metadataColumns, toDocument, toMetadata, valuesOf } from './document.rules.ts';
import {
  createDocumentChanges,
  NOT_INDEXED,
  type PropertiesWrite,
} from './document-changes.repository.ts';
import { sameMetadata } from './metadata.rules.ts';
import type { SentDocument } from './sent-document.ts';

export interface AddedDocument {
  readonly document: Document;
  readonly isNew: boolean;
}

/**
 * Stores a document durably and queues it for the indexer. A file with the same bytes and name updates the title, URL,
 * metadata and language of the existing document. The document is indexed again if the format differs, such as HTML instead of text.
 * Throws 403 if the space no longer exists.
 *
 * @param joined receives a new document. It is not called for an existing document.
 */
export type AddDocument = (
  scope: KnowledgeScope,
  sent: SentDocument,
  joined?: JoinedWrites<Document>,
) => Promise<AddedDocument>;

export interface DocumentsDeps {
  readonly engine: KnowledgeEngine;
  readonly clock: Clock;
  /** Called when there is a document to index or a deleted document to clean up. */
  readonly onWork: () => void;
}

/** Maximum attempts when other requests upload and delete the same file concurrently. */
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
    const changed = changedProperties(sent, existing);
    if (Object.keys(changed).length > 0) {
      const write = { ...changed, updated_at: now() };
      if (!(await changes.changeProperties(scope, existing.id, write))) throw noSuchDocument();
    }
    await reindex(scope, sent, existing);
    return { document: await stored(scope, existing.id), isNew: false };
  }

  /** Queues the document for the indexer if its format changed or its extraction failed. */
  async function reindex(
    scope: KnowledgeScope,
    { mimeType, content }: SentDocument,
    existing: ExistingDocument,
  ): Promise<void> {
    if (mimeType !== existing.mime_type) {
      const format = { mimeType, time: now() };
      if (!(await changes.changeFormat(scope, existing, format, content))) throw noSuchDocument();
    } else if (existing.state === 'failed') await changes.retryIndexing(scope, existing.number);
    else return;
    onWork();
  }

  async function addNew(
    scope: KnowledgeScope,
    { columns, metadata, content }: DocumentVersion,
    joined: JoinedWrites<Document>,
  ): Promise<AddedDocument> {
    const id = randomUUIDv7();
    const row = {
      ...columns,
      ...metadataColumns(metadata),
      id,
      space_id: scope.spaceId,
      created_at: columns.updated_at,
    };
    const document = toDocument({ ...row, ...NOT_INDEXED, external_key: null });
    if (!(await changes.insert(row, content, valuesOf(metadata), joined(document))))
      throw spaceGone();
    onWork();
    return { document, isNew: true };
  }

  return async (scope, sent, joined = NO_WRITES) => {
    const version = versionOf(sent, clock());
    const file = { sha256: version.columns.sha256, fileName: sent.fileName };
    for (let attempt = 1; ; attempt++) {
      try {
        // Most uploads are new. This read is much cheaper than a read in a scope.
        const isKnown = await changes.hasFile(scope.spaceId, file);
        const existing = isKnown ? await documents.findFile(scope, file) : undefined;
        if (existing !== undefined) return await updateExisting(scope, sent, existing);
        return await addNew(scope, version, joined);
      } catch (error) {
        // A concurrent request stored or deleted the same file.
        const isConcurrent =
          error instanceof UniqueViolation ||
          (error instanceof ApiError && error.code === 'knowledge.not-found');
        if (!isConcurrent || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  };
}

/** Returns the given properties that differ from those of the existing document. */
function changedProperties(
  { metadata, language, title, url }: SentDocument,
  existing: ExistingDocument,
): Omit<PropertiesWrite, 'updated_at'> {
  return {
    ...(metadata === undefined || sameMetadata(metadata, toMetadata(existing.metadata))
      ? {}
      : { metadata }),
    ...(language === undefined || language === existing.language ? {} : { language }),
    ...(title === undefined || title === existing.given_title ? {} : { given_title: title }),
    ...(url === undefined || url === existing.url ? {} : { url }),
  };
}
