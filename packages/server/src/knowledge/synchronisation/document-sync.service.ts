import { DOCUMENT_EVENT_PREFIX } from '@gatehouse/contract';
import type { StoredEvent } from '../../storage/ports/index.ts';
import type { Consumer, Consumers } from '../../streams/consumers/index.ts';
import type { ApplyEvent, Outcome } from './apply-event.service.ts';
import { readNews } from './document-event.rules.ts';

export interface DocumentSyncDeps {
  readonly consumers: Consumers;
  readonly apply: ApplyEvent;
  /** Hears what became of each event. */
  readonly count: (outcome: Outcome) => void;
  /** The storage took nothing; it is tried again. */
  readonly onFailure: (error: unknown) => void;
}

const EVENTS_AT_ONCE = 50;
const SUBJECTS_AT_ONCE = 8;
const SPACES_AT_ONCE = 2;

/**
 * Reads the events that keep documents in step, in the order of each space's feed. Subjects do not wait
 * for each other, the events of one do. It begins at the newest events of its first start: before that,
 * nobody had asked whether their senders may write knowledge.
 */
export function createDocumentSync(deps: DocumentSyncDeps): Consumer {
  const { apply, count } = deps;
  return deps.consumers({
    name: 'knowledge',
    startsAt: 'newest',
    query: { feedsKnowledge: true, typePrefix: DOCUMENT_EVENT_PREFIX },
    pageSize: EVENTS_AT_ONCE,
    spacesAtOnce: SPACES_AT_ONCE,
    onFailure: (error) => deps.onFailure(error),
    async handle(spaceId, events, signal) {
      const waiting = [...bySubject(events).values()].values();
      const work = async () => {
        for (const ofSubject of waiting)
          for (const event of ofSubject) {
            signal.throwIfAborted();
            count(await apply(spaceId, event));
          }
      };
      const ended = await Promise.allSettled(Array.from({ length: SUBJECTS_AT_ONCE }, work));
      // Not before all have ended: nothing of a page may be under way when it comes again.
      for (const one of ended) if (one.status === 'rejected') throw one.reason;
    },
  });
}

function bySubject(events: readonly StoredEvent[]): Map<string | undefined, StoredEvent[]> {
  return Map.groupBy(events, (event) => readNews(event)?.subject);
}
