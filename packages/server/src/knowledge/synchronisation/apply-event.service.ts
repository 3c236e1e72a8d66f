import { createHash, randomUUIDv7 } from 'node:crypto';
import { ApiError } from '@gatehouse/contract';
import { fold } from '@gatehouse/filter';
import type { Clock } from '../../lib/scheduling/index.ts';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import type { StoredEvent } from '../../storage/ports/index.ts';
import { toMetadata } from '../documents/document.rules.ts';
import { NOT_INDEXED } from '../documents/document-changes.repository.ts';
import { sameMetadata } from '../documents/metadata.rules.ts';
import { eventFailed, otherSubject } from './document-event.errors.ts';
import type { DocumentEventRepository } from './document-event.repository.ts';
import {
  type IncomingEvent,
  parseIncomingEvent,
  parseUpserted,
  type SentVersion,
} from './document-event.rules.ts';
import {
  ConcurrentChange,
  type DocumentSnapshot,
  type DocumentUpdate,
  type DocumentVersion,
  type SubjectSnapshot,
  type SynchronisedDocuments,
} from './synchronised-document.repository.ts';

/**
 * Result of applying a document event. `passed`: this event or a newer one for the same subject was already
 * applied, or the space no longer exists.
 */
export type Outcome = 'applied' | 'failed' | 'passed';

/**
 * Applies a document event at most once, even if it is redelivered or arrives after newer events for its
 * subject. An invalid event is recorded on its subject and has no other effect.
 * Throws `StorageUnavailable` if the caller should retry.
 */
export type ApplyEvent = (spaceId: string, event: StoredEvent) => Promise<Outcome>;

export interface ApplyEventDeps {
  readonly documents: SynchronisedDocuments;
  readonly events: DocumentEventRepository;
  readonly clock: Clock;
  /** Called when there is a document to index, or a deleted one to clean up. */
  readonly onWork: () => void;
  /** Called when a valid event fails: a programming error, or too many concurrent changes. */
  readonly onError: (error: unknown) => void;
}

/** Maximum attempts when another process updates the same document concurrently. */
const MAX_ATTEMPTS = 10;

export function createApplyEvent({
  documents,
  events,
  clock,
  onWork,
  onError,
}: ApplyEventDeps): ApplyEvent {
  async function apply(spaceId: string, event: IncomingEvent): Promise<Outcome> {
    for (let attempt = 1; ; attempt += 1) {
      const snapshot = await documents.snapshot(spaceId, event.subject);
      if (snapshot === null || isApplied(snapshot, event)) return 'passed';
      try {
        if (event.type === 'upserted') await upsert(snapshot, event);
        else await documents.remove(snapshot, event, clock());
        onWork();
        return 'applied';
      } catch (error) {
        if (!(error instanceof ConcurrentChange) || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  async function upsert(snapshot: SubjectSnapshot, event: IncomingEvent): Promise<void> {
    const time = clock();
    const { sent, documentId } = parseUpserted(event.text);
    const version = versionOf(sent, time);
    const document =
      snapshot.document ??
      (documentId === null ? undefined : await documents.document(snapshot.spaceId, documentId));
    if (document === undefined) {
      await documents.create(snapshot, event, documentId ?? randomUUIDv7(), version, time);
      return;
    }
    if (document.subject !== null && document.subject !== event.subject) throw otherSubject();
    const current = { ...snapshot, document };
    if (isSameFile(document, version))
      await documents.update(current, event, updateOf(document, sent, time), time);
    else await documents.replace(current, event, version, time);
  }

  return async (spaceId, stored) => {
    const event = parseIncomingEvent(stored);
    if (event === null) return 'passed';
    try {
      return await apply(spaceId, event);
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      if (!(error instanceof ApiError)) onError(error);
      const failure = error instanceof ApiError ? error : eventFailed();
      await events.fail(spaceId, event, failure.toBody(), clock());
      return 'failed';
    }
  };
}

/** Reports whether this event was applied, or a newer one was processed. */
function isApplied({ event }: SubjectSnapshot, { position }: IncomingEvent): boolean {
  if (event === undefined || event.position < position) return false;
  return event.position > position || event.state === 'applied';
}

function versionOf(
  { fileName, mimeType, bytes, metadata, language }: SentVersion,
  time: number,
): DocumentVersion {
  return {
    columns: {
      file_name: fileName,
      file_name_folded: fold(fileName),
      mime_type: mimeType,
      language: language ?? null,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      updated_at: new Date(time).toISOString(),
    },
    metadata,
    bytes,
  };
}

/** Reports whether indexing the version would give the same passages. Searches find the name, too. */
function isSameFile(document: DocumentSnapshot, { columns }: DocumentVersion): boolean {
  return (
    document.sha256 === columns.sha256 &&
    document.file_name === columns.file_name &&
    document.mime_type === columns.mime_type
  );
}

/** Returns the columns to change. A document whose extraction failed is queued for the indexer. */
function updateOf(
  document: DocumentSnapshot,
  { metadata, language = document.language ?? undefined }: SentVersion,
  time: number,
): DocumentUpdate {
  const isSame =
    sameMetadata(metadata, toMetadata(document.metadata)) &&
    (language ?? null) === document.language &&
    document.state !== 'failed';
  if (isSame) return { metadata, columns: {} };
  return {
    metadata,
    columns: {
      language: language ?? null,
      updated_at: new Date(time).toISOString(),
      ...(document.state === 'failed' ? NOT_INDEXED : {}),
    },
  };
}
