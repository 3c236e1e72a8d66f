import { parse } from '../../lib/json/index.ts';
import type {
  EventStore,
  KnowledgeEngine,
  ProjectionRow,
  RecordRow,
  Term,
  Write,
  WriteAtomically,
} from '../../storage/ports/index.ts';
import type { Definition } from './definition.rules.ts';
import { createRecordRepository, type RecordRepository, toState } from './record.repository.ts';
import {
  changeOf,
  EMPTY_STATE,
  filterOf,
  merge,
  type RecordChange,
  type RecordState,
} from './record-state.rules.ts';
import { renderRecord } from './record-text.rules.ts';

const EVENTS_PER_PAGE = 200;
const RECORDS_PER_STEP = 100;

export interface AdvanceDeps {
  readonly engine: KnowledgeEngine;
  readonly writeAtomically: WriteAtomically;
  readonly events: Pick<EventStore, 'read'>;
  readonly clock: () => number;
  /** Maximum number of records per projection. */
  readonly maxRecords: number;
}

/** Result of a step. */
export interface Advanced {
  /** True if there may be more work now. */
  readonly more: boolean;
  /** True if documents were removed and their data must be cleaned up. */
  readonly removed: boolean;
  /** Last examined position, if the step stored nothing because no event matched. */
  readonly skippedTo?: number;
}

type Next = Pick<ProjectionRow, 'position' | 'state' | 'published_key'>;
const NOTHING: Advanced = { more: false, removed: false };

/** Performs the steps of projections. Each step is one transaction, which fails if the projection has changed since `row` was read. */
export class ProjectionSteps {
  readonly #deps: AdvanceDeps;
  readonly #records: RecordRepository;
  readonly #term: Term;
  /** Numbers of records that can still be added, by projection. Each number is at most the actual number. */
  readonly #room = new Map<string, number>();

  constructor(deps: AdvanceDeps, term: Term) {
    this.#deps = deps;
    this.#term = term;
    this.#records = createRecordRepository(deps.engine);
  }

  /** @param after position after which the log is read. No unread event before this position matches. */
  advance(row: ProjectionRow, after: number): Promise<Advanced> {
    if (row.state === 'clearing') return this.#clear(row);
    if (row.state === 'publishing') return this.#publish(row);
    if (row.state === 'deleting') return this.#remove(row);
    return this.#readPage(row, after);
  }

  /** Removes some records whose newest event is past the retention of the space. Returns the number of records. */
  async removeExpired(row: ProjectionRow): Promise<number> {
    const { events } = this.#deps;
    const page = await events.read({ spaceId: row.space_id, after: 0, limit: 1 });
    const oldest = page.events[0]?.position ?? page.through + 1;
    const expired = await this.#records.expired(row, oldest, RECORDS_PER_STEP);
    if (expired.length > 0) await this.#store(row, row, await this.#removals(row, expired));
    return expired.length;
  }

  /** Advances the stored position past events that do not match. */
  skipTo(row: ProjectionRow, position: number): Promise<void> {
    return this.#store(row, { ...row, position }, []);
  }

  async #clear(row: ProjectionRow): Promise<Advanced> {
    const outdated = await this.#records.outdated(row, RECORDS_PER_STEP);
    const state = outdated.length === 0 ? 'building' : 'clearing';
    await this.#store(row, { ...row, state }, await this.#removals(row, outdated));
    return { more: true, removed: outdated.length > 0 };
  }

  async #remove(row: ProjectionRow): Promise<Advanced> {
    const records = await this.#records.after(row, '', RECORDS_PER_STEP);
    const writes =
      records.length === 0 ? [this.#records.endWrite(row)] : await this.#removals(row, records);
    this.#room.delete(`${row.space_id} ${row.id}`);
    await this.#deps.writeAtomically([...this.#term.fence, ...writes]);
    return { more: records.length > 0, removed: records.length > 0 };
  }

  async #readPage(row: ProjectionRow, after: number): Promise<Advanced> {
    const isLive = row.state === 'live';
    const definition = parse(row.definition) as Definition;
    const page = await this.#deps.events.read({
      ...filterOf(definition),
      spaceId: row.space_id,
      after,
      limit: EVENTS_PER_PAGE,
    });
    if (isLive && page.events.length === 0)
      return { more: page.more, removed: false, skippedTo: page.through };
    const changes = page.events.flatMap((event) => changeOf(definition, event) ?? []);
    const writes = await this.#merged(row, definition, changes, isLive);
    if (writes === null) return NOTHING;
    const state = isLive || page.more ? row.state : 'publishing';
    const published_key = state === 'publishing' ? '' : null;
    await this.#store(row, { position: page.through, state, published_key }, writes);
    return { more: page.more || !isLive, removed: changes.some(({ isDeletion }) => isDeletion) };
  }

  /** Returns the writes for the changes of a page, or `null` if the space was deleted. */
  async #merged(
    row: ProjectionRow,
    definition: Definition,
    changes: readonly RecordChange[],
    isShown: boolean,
  ): Promise<Write[] | null> {
    const byKey = Map.groupBy(changes, ({ key }) => key);
    const known = await this.#records.find(row, [...byKey.keys()]);
    const added = [...byKey.keys()].filter((key) => !known.has(key));
    const room = await this.#reserve(row, added.length);
    for (const key of added.slice(room)) byKey.delete(key);
    const documents = await this.#records.documents(row.space_id, [...known.values()]);
    const perRecord = await Promise.all(
      [...byKey].map(([key, ofRecord]) => {
        const record = known.get(key);
        const isCurrent = record?.generation === row.generation;
        const before = record !== undefined && isCurrent ? toState(record) : EMPTY_STATE;
        const state = ofRecord.reduce(merge, before);
        const newest = Math.max(
          isCurrent ? (record?.newest_position ?? 0) : 0,
          ...ofRecord.map(({ event }) => event.position),
        );
        const subjects = new Set(ofRecord.flatMap(({ event }) => event.subject ?? []));
        return this.#recordWrites(
          { row, definition, key, record, documents },
          { state, newest, subjects },
          isShown,
        );
      }),
    );
    return perRecord.includes(null) ? null : perRecord.flatMap((writes) => writes ?? []);
  }

  /** Returns the number of records that may be added, at most `count`. Counts the records only if the known room is too small. */
  async #reserve(row: ProjectionRow, count: number): Promise<number> {
    if (count === 0) return 0;
    const key = `${row.space_id} ${row.id}`;
    let room = this.#room.get(key) ?? 0;
    if (room < count) room = this.#deps.maxRecords - (await this.#records.count(row));
    const granted = Math.max(0, Math.min(room, count));
    // A step that fails afterwards leaves the number too small, which only causes an earlier count.
    this.#room.set(key, room - granted);
    return granted;
  }

  async #recordWrites(
    { row, definition, key, record, documents }: KnownRecord,
    { state, newest, subjects }: MergedRecord,
    isShown: boolean,
  ): Promise<Write[] | null> {
    const columns = { newest_position: newest, document: record?.document ?? null };
    if (!isShown) return this.#records.stateWrites(row, key, state, columns, subjects);
    const rendered = renderRecord(definition, key, state);
    const current = documents.get(columns.document ?? -1);
    const number =
      rendered === null
        ? null
        : (current?.number ?? (await this.#records.nextNumber(row.space_id)));
    if (rendered !== null && number === null) return null;
    return [
      ...this.#records.stateWrites(row, key, state, { ...columns, document: number }, subjects),
      ...this.#records.documentWrites(row, key, number, current, rendered, this.#deps.clock()),
    ];
  }

  async #publish(row: ProjectionRow): Promise<Advanced> {
    const definition = parse(row.definition) as Definition;
    const records = await this.#records.after(row, row.published_key ?? '', RECORDS_PER_STEP);
    const documents = await this.#records.documents(row.space_id, records);
    const perRecord = await Promise.all(
      records.map((record) => {
        const { key, newest_position: newest } = record;
        if (record.generation < row.generation)
          return this.#records.removalWrites(row, record, documents.get(record.document ?? -1));
        const merged = { state: toState(record), newest, subjects: [] };
        return this.#recordWrites({ row, definition, key, record, documents }, merged, true);
      }),
    );
    if (perRecord.includes(null)) return NOTHING;
    const last = records.at(-1);
    const next: Next =
      last === undefined
        ? { ...row, state: 'live', published_key: null }
        : { ...row, published_key: last.key };
    await this.#store(
      row,
      next,
      perRecord.flatMap((writes) => writes ?? []),
    );
    return { more: true, removed: true };
  }

  async #removals(row: ProjectionRow, records: readonly RecordRow[]): Promise<Write[]> {
    const documents = await this.#records.documents(row.space_id, records);
    return records.flatMap((record) =>
      this.#records.removalWrites(row, record, documents.get(record.document ?? -1)),
    );
  }

  #store(row: ProjectionRow, next: Next, writes: readonly Write[]): Promise<void> {
    const progress = this.#records.progressWrite(row, next);
    return this.#deps.writeAtomically([...this.#term.fence, progress, ...writes]);
  }
}

interface KnownRecord {
  readonly row: ProjectionRow;
  readonly definition: Definition;
  readonly key: string;
  readonly record: RecordRow | undefined;
  readonly documents: Awaited<ReturnType<RecordRepository['documents']>>;
}

interface MergedRecord {
  readonly state: RecordState;
  readonly newest: number;
  readonly subjects: Iterable<string>;
}
