import { createHash, randomUUIDv7 } from 'node:crypto';
import { ApiError, type Document } from '@gatehouse/contract';
import { fold, type JsonObject } from '@gatehouse/filter';
import type { Clock } from '../../lib/scheduling/index.ts';
import { UniqueViolation } from '../../lib/threads/index.ts';
import type { KnowledgeEngine, KnowledgeScope } from '../../storage/ports/index.ts';
import { noSuchDocument, spaceGone } from '../knowledge.errors.ts';
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

/** A document that was sent, checked. */
export interface SentDocument {
  readonly fileName: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** Undefined: none was sent, so a document that is there keeps what it has. */
  readonly metadata: JsonObject | undefined;
  readonly language: string | undefined;
}

export interface AddedDocument {
  readonly document: Document;
  readonly isNew: boolean;
}

/**
 * Stores a document; when it resolves, the original is on disk and its text will be read. The same
 * bytes under the same name are the document that is there, with the metadata that came last; sent as
 * another kind, such as HTML that was text, it is read anew.
 * Throws 403 when the space is gone.
 */
export type AddDocument = (scope: KnowledgeScope, sent: SentDocument) => Promise<AddedDocument>;

export interface DocumentsDeps {
  readonly engine: KnowledgeEngine;
  readonly clock: Clock;
  /** There is a document to read, or the remains of one to remove. */
  readonly onWork: () => void;
}

/** Of an upload whose file others send and delete at the same time. */
const MOST_ATTEMPTS = 20;

type KnownDocument = NonNullable<Awaited<ReturnType<DocumentRepository['findFile']>>>;

export function createUpload({ engine, clock, onWork }: DocumentsDeps): AddDocument {
  const documents = createDocumentRepository(engine);
  const changes = createDocumentChanges(engine);
  const now = () => new Date(clock()).toISOString();

  const stored = async (scope: KnowledgeScope, id: string): Promise<Document> => {
    const row = await documents.find(scope, id);
    if (row === undefined) throw noSuchDocument();
    return toDocument(row);
  };

  async function addKnown(
    scope: KnowledgeScope,
    sent: SentDocument,
    known: KnownDocument,
  ): Promise<AddedDocument> {
    const { metadata } = sent;
    if (metadata !== undefined && !sameMetadata(metadata, toMetadata(known.metadata))) {
      const changed = await changes.changeMetadata(
        scope,
        known.number,
        metadataWrite(metadata, now()),
      );
      if (!changed) throw noSuchDocument();
    }
    if (sent.language !== undefined && sent.language !== known.language)
      await changes.changeLanguage(scope, known.number, sent.language, now());
    await readAnew(scope, sent, known);
    return { document: await stored(scope, known.id), isNew: false };
  }

  /** Where a reading of these bytes as this kind has not been done, or has failed. */
  async function readAnew(
    scope: KnowledgeScope,
    { mimeType, bytes }: SentDocument,
    known: KnownDocument,
  ): Promise<void> {
    if (mimeType !== known.mime_type) {
      const kind = { mimeType, time: now() };
      if (!(await changes.readAs(scope, known.number, kind, bytes))) throw noSuchDocument();
    } else if (known.state === 'failed') await changes.retryRead(scope, known.number);
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
        const known = await documents.findFile(scope, file);
        if (known !== undefined) return await addKnown(scope, sent, known);
        return await addNew(scope, sent, sha256);
      } catch (error) {
        // Somebody was first with the same file, or deleted it in between.
        const raced =
          error instanceof UniqueViolation ||
          (error instanceof ApiError && error.code === 'knowledge.not-found');
        if (!raced || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  };
}
