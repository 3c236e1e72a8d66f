import { DOCUMENT_EVENT_PREFIX } from '@gatehouse/contract';
import type { StoredEvent } from '../../storage/ports/index.ts';
import type { Consumer, Consumers } from '../../streams/consumers/index.ts';
import type { ApplyEvent, Outcome } from './apply-event.service.ts';
import { parseIncomingEvent } from './document-event.rules.ts';

export interface DocumentEventConsumerDeps {
  readonly consumers: Consumers;
  readonly apply: ApplyEvent;
  readonly count: (outcome: Outcome) => void;
  /** Called when storage is unavailable. The consumer retries. */
  readonly onFailure: (error: unknown) => void;
}

const EVENTS_PER_PAGE = 50;
const CONCURRENT_SUBJECTS = 8;
const CONCURRENT_SPACES = 2;

/**
 * Creates the consumer that applies document events in the order of each space's log. Events of one subject are applied
 * sequentially, different subjects concurrently. The consumer's first start skips all existing events, because nobody
 * checked whether their senders may write knowledge.
 */
export function createDocumentEventConsumer(deps: DocumentEventConsumerDeps): Consumer {
  const { apply, count } = deps;
  return deps.consumers({
    name: 'knowledge',
    startsAt: 'newest',
    query: { feedsKnowledge: true, typePrefix: DOCUMENT_EVENT_PREFIX },
    pageSize: EVENTS_PER_PAGE,
    spacesAtOnce: CONCURRENT_SPACES,
    onFailure: (error) => deps.onFailure(error),
    async handle(spaceId, events, signal) {
      const queue = [...bySubject(events).values()].values();
      const work = async () => {
        for (const ofSubject of queue)
          for (const event of ofSubject) {
            signal.throwIfAborted();
            count(await apply(spaceId, event));
          }
      };
      const results = await Promise.allSettled(Array.from({ length: CONCURRENT_SUBJECTS }, work));
      // Throws only after all events have settled, so no event of a page is in flight when the page is redelivered.
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    },
  });
}

function bySubject(events: readonly StoredEvent[]): Map<string | undefined, StoredEvent[]> {
  return Map.groupBy(events, (event) => parseIncomingEvent(event)?.subject);
}
