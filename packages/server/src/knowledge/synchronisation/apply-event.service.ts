import { randomUUIDv7 } from 'node:crypto';
import { ApiError } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import type { StoredEvent } from '../../storage/ports/index.ts';
import { documentIsRecord } from '../documents/document.errors.ts';
import { toMetadata } from '../documents/document.rules.ts';
import { NOT_INDEXED } from '../documents/document-changes.repository.ts';
import { sameMetadata } from '../documents/metadata.rules.ts';
import { isSameFile, versionOf } from '../versions/version.rules.ts';
import { eventFailed, keyedDocument, otherSubject } from './document-event.errors.ts';
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
  type SubjectSnapshot,
  type SynchronisedDocuments,
} from './synchronised-document.repository.ts';

/**
 * Result of applying a document event. `passed`: the event was ignored, because this event or a newer one for the same
 * subject was already applied, the space no longer exists, or the event is not a document event.
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
  /** Called when there is a document to index or a deleted document to clean up. */
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
    if (document.external_key !== null) throw keyedDocument();
    if (document.projection_id !== null) throw documentIsRecord();
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

/** Reports whether this event was applied or a newer event of the subject was processed. */
function isApplied({ event }: SubjectSnapshot, { position }: IncomingEvent): boolean {
  if (event === undefined || event.position < position) return false;
  return event.position > position || event.state === 'applied';
}

/**
 * Returns the columns to change. An omitted language does not change, because it may come from the file. A document whose extraction failed is
 * queued for the indexer.
 */
function updateOf(
  document: DocumentSnapshot,
  { metadata, language, title, url }: SentVersion,
  time: number,
): DocumentUpdate {
  const isChange =
    !sameMetadata(metadata, toMetadata(document.metadata)) ||
    (language !== undefined && language !== document.language) ||
    (title ?? null) !== document.given_title ||
    (url ?? null) !== document.url;
  if (!isChange && document.state !== 'failed') return { metadata, columns: {}, isChange };
  return {
    metadata,
    isChange,
    columns: {
      ...(language === undefined ? {} : { language }),
      given_title: title ?? null,
      url: url ?? null,
      updated_at: new Date(time).toISOString(),
      ...(document.state === 'failed' ? NOT_INDEXED : {}),
    },
  };
}
