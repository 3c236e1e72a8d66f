import { setImmediate } from 'node:timers/promises';
import { type BatchHead, type Budget, PageBuilder } from '../../event-log/page.ts';
import { fromStoredAsync, type StoredTexts, toWords } from '../../event-log/stored-texts.ts';
import type { EventPage, EventQuery } from '../../ports/event-store.ts';
import type { Pool, Row } from '../pool.ts';

const HEADS_PER_QUERY = 256;
/** Maximum stored bytes per read. A larger batch is read alone. */
const READ_BYTES = 1024 * 1024;

interface SizedHead extends BatchHead {
  readonly bytes: number;
}

interface Body {
  readonly stored: StoredTexts;
  readonly ends: Uint32Array;
  readonly known: readonly number[];
}

/**
 * Selects the newest position of a space and the batches after a position in one snapshot. Batches that are committed later
 * therefore have positions greater than the newest position. The long columns are not read.
 */
function selectHeads(batches: string): string {
  return `select head.last_position as newest, batch.* from event_heads as head left join lateral (
    select last_position, count, received_at, octet_length(texts) as bytes from ${batches}
    where space_id = head.space_id and last_position > $2 order by last_position limit $3
  ) as batch on true where head.space_id = $1 order by batch.last_position`;
}

const SELECT_HEADS = selectHeads('event_batches');
const SELECT_MARKED_HEADS = selectHeads(
  'event_knowledge_batches join event_batches using (space_id, last_position)',
);
const SELECT_BODIES =
  'select last_position, encoding, ends, texts, known from event_batches where space_id = $1 and last_position = any($2::bigint[])';

export async function readPage(pool: Pool, query: EventQuery, budget?: Budget): Promise<EventPage> {
  const page = new PageBuilder(query, budget);
  const select = query.feedsKnowledge === true ? SELECT_MARKED_HEADS : SELECT_HEADS;
  for (let after = query.after; ; ) {
    const { rows } = await pool.read(select, [query.spaceId, after, HEADS_PER_QUERY], {
      often: true,
    });
    // The newest position belongs to the same snapshot as the batches, so no batch can appear later at or before this position.
    const newest = Number(rows[0]?.['newest'] ?? 0);
    const heads = rows.filter((row) => row['last_position'] !== null).map(toHead);
    if (!(await fill(pool, query.spaceId, page, heads))) return page.full();
    if (heads.length < HEADS_PER_QUERY) return page.last(newest);
    after = heads.at(-1)?.lastPosition ?? after;
  }
}

/** Adds batches to the page. Returns `false` once the page is full. */
async function fill(
  pool: Pool,
  spaceId: string,
  page: PageBuilder,
  heads: readonly SizedHead[],
): Promise<boolean> {
  let bodies = new Map<number, Body>();
  let readThrough = -1;
  for (const [index, head] of heads.entries()) {
    if (page.isFull) return false;
    if (!page.wants(head)) {
      page.pass(head);
      continue;
    }
    if (index > readThrough) {
      const next = nextToRead(page, heads.slice(index));
      bodies = await readBodies(pool, spaceId, next.wanted);
      readThrough = index + next.examined - 1;
    }
    const body = bodies.get(head.lastPosition);
    // The batch was removed concurrently.
    if (body === undefined) continue;
    const texts = await fromStoredAsync(body.stored, body.ends.at(-1) ?? 0);
    if (!page.take(head, { ...body, texts })) return false;
    await setImmediate();
  }
  return true;
}

function nextToRead(page: PageBuilder, heads: readonly SizedHead[]) {
  const wanted: SizedHead[] = [];
  let bytes = 0;
  let events = 0;
  let examined = 0;
  for (const head of heads) {
    if (wanted.length > 0 && (bytes + head.bytes > READ_BYTES || events >= page.room)) break;
    examined += 1;
    if (!page.wants(head)) continue;
    wanted.push(head);
    bytes += head.bytes;
    events += head.count;
  }
  return { wanted, examined };
}

async function readBodies(
  pool: Pool,
  spaceId: string,
  heads: readonly SizedHead[],
): Promise<Map<number, Body>> {
  const positions = heads.map(({ lastPosition }) => lastPosition);
  const { rows } = await pool.read(SELECT_BODIES, [spaceId, positions], { often: true });
  return new Map(rows.map((row) => [Number(row['last_position']), toBody(row)]));
}

function toHead(row: Row): SizedHead {
  return {
    lastPosition: Number(row['last_position']),
    count: Number(row['count']),
    receivedAt: Number(row['received_at']),
    bytes: Number(row['bytes']),
  };
}

function toBody(row: Row): Body {
  const { encoding, ends, texts, known } = row as {
    encoding: StoredTexts['encoding'];
    ends: Uint8Array;
    texts: Uint8Array;
    known: number[] | null;
  };
  return { stored: { encoding, bytes: texts }, ends: toWords(ends), known: known ?? [] };
}
