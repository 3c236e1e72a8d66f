import { randomUUIDv7 } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type DerivedRecord,
  MAX_PROJECTIONS,
  type NewProjection,
  type Projection,
  type ProjectionChange,
  type ProjectionTrial,
} from '@gatehouse/contract';
import {
  type ListRequest,
  type Page,
  readCursor,
  readLimit,
  readTextCursor,
  toPage,
} from '../../http/index.ts';
import type { SpaceAccess } from '../../identity/index.ts';
import { parse } from '../../lib/json/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type {
  EventStore,
  JoinedWrites,
  KnowledgeEngine,
  ProjectionRow,
} from '../../storage/ports/index.ts';
import { invalid, spaceGone } from '../documents/document.errors.ts';
import { type Definition, definitionIssues, toDefinition } from './definition.rules.ts';
import { noSuchProjection, tooManyProjections } from './projection.errors.ts';
import { createProjectionRepository, type ShownProjection } from './projection.repository.ts';
import { createRecordRepository, toState } from './record.repository.ts';
import {
  changeOf,
  EMPTY_STATE,
  filterOf,
  merge,
  type RecordEvent,
  type RecordState,
} from './record-state.rules.ts';
import { renderRecord } from './record-text.rules.ts';

/** Projections of a space and their records. Methods with an ID throw 404 `knowledge.no-projection`. */
export interface Projections {
  /** Throws 409 if the space has too many projections. */
  create(
    space: SpaceAccess,
    sent: NewProjection,
    joined: JoinedWrites<Projection>,
  ): Promise<Projection>;
  list(space: SpaceAccess, request: ListRequest): Promise<Page<Projection>>;
  show(space: SpaceAccess, id: string): Promise<Projection>;
  /** Derives the records again if the definition changes. */
  change(space: SpaceAccess, id: string, change: ProjectionChange): Promise<Projection>;
  rebuild(space: SpaceAccess, id: string): Promise<Projection>;
  remove(space: SpaceAccess, id: string): Promise<void>;
  /** Returns the position up to which the records of all projections contain the events, or `null` without projections. */
  position(spaceId: string): Promise<number | null>;
  /** Applies a definition to the last hundred events of the space without storing anything. */
  try(space: SpaceAccess, sent: NewProjection): Promise<ProjectionTrial>;
  records(
    space: SpaceAccess,
    id: string,
    request: ListRequest & { readonly key?: string },
  ): Promise<Page<DerivedRecord>>;
}

export interface ProjectionsDeps {
  readonly engine: KnowledgeEngine;
  readonly events: Pick<EventStore, 'read' | 'newest'>;
  readonly clock: Clock;
  /** Maximum number of records per projection. */
  readonly maxRecords: number;
  /** Called after a projection of the space has changed. */
  readonly onChanged: (spaceId: string) => void;
}

const TRIED_EVENTS = 100;
const WITHOUT_SOURCES =
  'sources: is not set, so every sender that may send events to the space can create, change and delete records';
/** The hexadecimal bytes of a key. No key contains the byte 0, which PostgreSQL rejects. */
const HEX = /^(?!(..)*00)([0-9a-f]{2})+$/;

export function createProjections({
  engine,
  events,
  clock,
  maxRecords,
  onChanged,
}: ProjectionsDeps): Projections {
  const repository = createProjectionRepository(engine.db);
  const records = createRecordRepository(engine);

  async function find({ spaceId }: SpaceAccess, id: string): Promise<ShownProjection> {
    const row = await repository.find(spaceId, id.toLowerCase());
    if (row === undefined) throw noSuchProjection();
    return row;
  }

  /**
   * Returns the position up to which the records contain all events. The stored position of a live projection stays behind while no event
   * matches, because the worker stores it only from time to time.
   */
  async function positionOf(row: ShownProjection, newest: number): Promise<number> {
    const { position, state, space_id: spaceId } = row;
    if (state !== 'live' || position >= newest) return position;
    const filter = filterOf(parse(row.definition) as Definition);
    const page = await events.read({ ...filter, spaceId, after: position, limit: 1 });
    return page.events.length === 0 ? page.through : position;
  }

  async function shown(row: ShownProjection, newest: number): Promise<Projection> {
    return toProjection({ ...row, position: await positionOf(row, newest) }, newest, maxRecords);
  }

  const show = async (space: SpaceAccess, id: string) =>
    shown(await find(space, id), await events.newest(space.spaceId));

  return {
    async create({ spaceId }, sent, joined) {
      const time = clock();
      const row: ProjectionRow = {
        space_id: spaceId,
        id: randomUUIDv7(),
        definition: JSON.stringify(toDefinition(sent)),
        state: 'building',
        generation: 1,
        revision: 1,
        position: 0,
        published_key: null,
        created_at: time,
        updated_at: time,
      };
      const newest = await events.newest(spaceId);
      const projection = toProjection({ ...row, records: 0, stored: 0 }, newest, maxRecords);
      const result = await repository.insert(row, joined(projection));
      if (result === 'no-space') throw spaceGone();
      if (result === 'too-many') throw tooManyProjections();
      onChanged(spaceId);
      return projection;
    },
    async list({ spaceId }, { limit, after }) {
      const count = readLimit(limit);
      const rows = await repository.list(spaceId, readCursor(after), count + 1);
      const newest = await events.newest(spaceId);
      const page = toPage(
        rows,
        count,
        (row) => row.id,
        (row) => shown(row, newest),
      );
      return { ...page, items: await Promise.all(page.items) };
    },
    show,
    async position(spaceId) {
      const rows = await repository.list(spaceId, null, MAX_PROJECTIONS);
      if (rows.length === 0) return null;
      const newest = await events.newest(spaceId);
      return Math.min(...(await Promise.all(rows.map((row) => positionOf(row, newest)))));
    },
    async change(space, id, change) {
      const definitionFor = (text: string): string | null => {
        const stored = parse(text) as Definition;
        const definition = { ...stored, ...change };
        if (isDeepStrictEqual(definition, stored)) return null;
        const issues = definitionIssues(definition);
        if (issues.length > 0) throw invalid(issues);
        return JSON.stringify(definition);
      };
      if (!(await repository.change(space.spaceId, id.toLowerCase(), definitionFor, clock())))
        throw noSuchProjection();
      onChanged(space.spaceId);
      return show(space, id);
    },
    async rebuild(space, id) {
      if (!(await repository.rebuild(space.spaceId, id.toLowerCase()))) throw noSuchProjection();
      onChanged(space.spaceId);
      return show(space, id);
    },
    async remove({ spaceId }, id) {
      if (!(await repository.remove(spaceId, id.toLowerCase()))) throw noSuchProjection();
      onChanged(spaceId);
    },
    async try({ spaceId }, sent) {
      const definition = toDefinition(sent);
      const after = Math.max(0, (await events.newest(spaceId)) - TRIED_EVENTS);
      const page = await events.read({
        ...filterOf(definition),
        spaceId,
        after,
        limit: TRIED_EVENTS,
      });
      const changes = page.events.flatMap((event) => changeOf(definition, event) ?? []);
      const byKey = Map.groupBy(changes, ({ key }) => key);
      return {
        events: page.events.length,
        skipped: page.events.length - changes.length,
        records: [...byKey.keys()]
          .toSorted()
          .flatMap((key) =>
            toRecord(definition, key, (byKey.get(key) ?? []).reduce(merge, EMPTY_STATE), null),
          ),
      };
    },
    async records(space, id, { limit, after, key }) {
      const row = await find(space, id);
      const definition = parse(row.definition) as Definition;
      const count = readLimit(limit);
      const cursor = readTextCursor(after, HEX);
      const from = cursor === null ? '' : Buffer.from(cursor, 'hex').toString();
      const stored = await records.published(row, { after: from, count: count + 1, key });
      const documents = await records.documents(space.spaceId, stored);
      const { items, next } = toPage(stored, count, (record) =>
        Buffer.from(record.key).toString('hex'),
      );
      return {
        items: items.flatMap((record) => {
          const document = documents.get(record.document ?? -1);
          if (document === undefined) return [];
          return toRecord(definition, record.key, toState(record), document.id);
        }),
        next,
      };
    },
  };
}

function toProjection(row: ShownProjection, newest: number, maxRecords: number): Projection {
  const { name, types, sources, deletedBy, key, fields, title, text, metadata } = parse(
    row.definition,
  ) as Definition;
  return {
    id: row.id,
    spaceId: row.space_id,
    name,
    types,
    sources,
    deletedBy,
    key,
    fields,
    title,
    text,
    metadata,
    // A deleted projection is never shown.
    state: row.state === 'deleting' ? 'clearing' : row.state,
    position: row.position,
    newest: Math.max(newest, row.position),
    records: Number(row.records),
    isFull: Number(row.stored) >= maxRecords,
    warnings: sources === null ? [WITHOUT_SOURCES] : [],
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}

/** Returns an empty list if the record does not exist. */
function toRecord(
  definition: Definition,
  key: string,
  state: RecordState,
  documentId: string | null,
): DerivedRecord[] {
  const rendered = renderRecord(definition, key, state);
  if (rendered === null) return [];
  const { title, text, metadata } = rendered;
  return [
    {
      key,
      documentId,
      title,
      text,
      metadata,
      fields: Object.fromEntries(
        Object.entries(state.fields).map(([name, { value, event }]) => [
          name,
          { value, event: toEvent(event) },
        ]),
      ),
      history: state.history.map(({ event }) => toEvent(event)),
    },
  ];
}

function toEvent({ id, source, type, time, position }: RecordEvent): DerivedRecord['history'][0] {
  return { id, source, type, time: new Date(time).toISOString(), position };
}
