import type { DatabaseSync } from 'node:sqlite';
import { type BatchHead, type Budget, PageBuilder } from '../../event-log/page.ts';
import { fromStored, type StoredTexts, toWords } from '../../event-log/stored-texts.ts';
import type { EventPage, EventQuery } from '../../ports/event-store.ts';

interface BatchRow extends BatchHead {
  readonly id: number;
}

interface BatchBody {
  readonly encoding: StoredTexts['encoding'];
  readonly ends: Uint8Array;
  readonly texts: Uint8Array;
}

export function createPageReader(
  db: DatabaseSync,
  budget?: Budget,
): (query: EventQuery) => EventPage {
  const columns = 'id, batch.last_position as lastPosition, count, received_at as receivedAt';
  const selectBatches = db.prepare(
    `select ${columns} from event_batches as batch where space_id = ? and last_position > ? order by last_position`,
  );
  const selectMarked = db.prepare(
    `select ${columns} from event_knowledge_batches as marked join event_batches as batch on batch.space_id = marked.space_id and batch.last_position = marked.last_position where marked.space_id = ? and marked.last_position > ? order by marked.last_position`,
  );
  // Large columns are read separately, only for the batches that the page needs.
  const selectBody = db.prepare('select encoding, ends, texts from event_batches where id = ?');
  const selectHead = db.prepare('select last_position from event_heads where space_id = ?');

  return (query) => {
    // This position is read before the batches, so the batches include all events up to it.
    const head = Number(selectHead.get(query.spaceId)?.['last_position'] ?? 0);
    const select = query.feedsKnowledge === true ? selectMarked : selectBatches;
    const batches = select.iterate(query.spaceId, query.after) as unknown as Iterable<BatchRow>;
    const page = new PageBuilder(query, budget);
    for (const batch of batches) {
      if (page.isFull) return page.full();
      if (!page.wants(batch)) {
        page.pass(batch);
        continue;
      }
      const body = selectBody.get(batch.id) as unknown as BatchBody | undefined;
      if (body === undefined) continue;
      const texts = fromStored({ encoding: body.encoding, bytes: body.texts });
      if (!page.take(batch, { texts, ends: toWords(body.ends) })) return page.full();
    }
    return page.last(head);
  };
}
