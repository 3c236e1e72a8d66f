import { createHash, randomUUIDv7 } from 'node:crypto';
import { ApiError } from '@gatehouse/contract';
import { fold } from '@gatehouse/filter';
import type { Clock } from '../../lib/scheduling/index.ts';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import type { StoredEvent } from '../../storage/ports/index.ts';
import { toMetadata } from '../documents/document.rules.ts';
import { UNREAD } from '../documents/document-changes.repository.ts';
import { sameMetadata } from '../documents/metadata.rules.ts';
import { eventFailed, otherSubject } from '../knowledge.errors.ts';
import type { DocumentEventRepository } from './document-event.repository.ts';
import {
  type DocumentNews,
  readNews,
  readUpserted,
  type SentVersion,
} from './document-event.rules.ts';
import {
  ConcurrentChange,
  type FollowedDocuments,
  type KnownDocument,
  type Retouch,
  type SubjectNow,
  type Version,
} from './followed-document.repository.ts';

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
  readonly documents: FollowedDocuments;
  readonly events: DocumentEventRepository;
  readonly clock: Clock;
  /** There is a document to read, or the remains of one to remove. */
  readonly onWork: () => void;
  /** Called when a valid event fails: a programming error, or too many concurrent changes. */
  readonly onError: (error: unknown) => void;
}

/** Maximum attempts when another process updates the same document concurrently. */
const MOST_ATTEMPTS = 10;

export function createApplyEvent({
  documents,
  events,
  clock,
  onWork,
  onError,
}: ApplyEventDeps): ApplyEvent {
  async function apply(spaceId: string, news: DocumentNews): Promise<Outcome> {
    for (let attempt = 1; ; attempt += 1) {
      const now = await documents.now(spaceId, news.subject);
      if (now === null || hadItsEffect(now, news)) return 'passed';
      try {
        if (news.type === 'upserted') await upsert(now, news);
        else await documents.remove(now, news, clock());
        onWork();
        return 'applied';
      } catch (error) {
        if (!(error instanceof ConcurrentChange) || attempt === MOST_ATTEMPTS) throw error;
      }
    }
  }

  async function upsert(now: SubjectNow, news: DocumentNews): Promise<void> {
    const time = clock();
    const { sent, documentId } = readUpserted(news.text);
    const version = versionOf(sent, time);
    const document =
      now.document ??
      (documentId === null ? undefined : await documents.document(now.spaceId, documentId));
    if (document === undefined) {
      await documents.create(now, news, documentId ?? randomUUIDv7(), version, time);
      return;
    }
    if (document.subject !== null && document.subject !== news.subject) throw otherSubject();
    const seen = { ...now, document };
    if (isSameFile(document, version))
      await documents.change(seen, news, retouchOf(document, sent, time), time);
    else await documents.replace(seen, news, version, time);
  }

  return async (spaceId, event) => {
    const news = readNews(event);
    if (news === null) return 'passed';
    try {
      return await apply(spaceId, news);
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      if (!(error instanceof ApiError)) onError(error);
      const failure = error instanceof ApiError ? error : eventFailed();
      await events.fail(spaceId, news, failure.toBody(), clock());
      return 'failed';
    }
  };
}

function hadItsEffect({ event }: SubjectNow, { position }: DocumentNews): boolean {
  if (event === undefined || event.position < position) return false;
  return event.position > position || event.state === 'applied';
}

function versionOf(
  { fileName, mimeType, bytes, metadata, language }: SentVersion,
  time: number,
): Version {
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

/** Whether reading it again would give the same. The name is found, too. */
function isSameFile(document: KnownDocument, { columns }: Version): boolean {
  return (
    document.sha256 === columns.sha256 &&
    document.file_name === columns.file_name &&
    document.mime_type === columns.mime_type
  );
}

/** What is left to change; one whose reading failed is read again. */
function retouchOf(
  document: KnownDocument,
  { metadata, language = document.language ?? undefined }: SentVersion,
  time: number,
): Retouch {
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
      ...(document.state === 'failed' ? UNREAD : {}),
    },
  };
}
