import { setImmediate } from 'node:timers/promises';
import type {
  SpaceConversation,
  SpaceConversationWithMessages,
  SpaceMessage,
} from '@gatehouse/contract';
import {
  encodeCursor,
  type ListRequest,
  type Page,
  readLimit,
  readPositionCursor,
  readTextCursor,
  toPage,
} from '../../http/index.ts';
import type { ConversationsAccess } from '../../identity/index.ts';
import { type Documents, scopeOfSpace } from '../../knowledge/index.ts';
import { toMilliseconds } from '../../lib/scheduling/index.ts';
import type { AuditFact } from '../../platform/audit/index.ts';
import { noSuchConversation } from '../assistant.errors.ts';
import { ownerOf, ownerOfSub, personOf } from '../conversations/owner.rules.ts';
import type {
  Before,
  ConversationQuery,
  SpaceConversationRepository,
  SummarisedConversation,
} from './space-conversation.repository.ts';
import {
  type ConversationFilters,
  CSV_HEADER,
  matches,
  sourcesOf,
  toCsvLine,
  toExportedMessage,
  toJsonLine,
  toSpaceConversation,
  toSpaceMessage,
} from './space-conversation.rules.ts';

/** Conversations that one statement reads if a filter needs their counts. */
const EXAMINED_AT_ONCE = 250;
/** Maximum number of conversations that one request for a page examines. */
const MAX_EXAMINED = 5000;
/** Conversations that an export reads between other work of the thread. */
const EXPORTED_AT_ONCE = 25;
const MESSAGES_AT_ONCE = 50;
/** Milliseconds after which an export confirms the right of its reader before it reads more messages. */
const RECHECK_AFTER_MS = 100;
const CURSOR = /^\d{1,16}\.[0-9a-f-]{36}$/;

/** Reads of the conversations of a space. Each read is recorded in the audit before it begins. */
export interface SpaceConversations {
  list(
    space: ConversationsAccess,
    request: ConversationFilters & ListRequest,
  ): Promise<Page<SpaceConversation>>;
  /** Throws 404 if the space has no such conversation. */
  show(
    space: ConversationsAccess,
    id: string,
    request: ListRequest,
  ): Promise<SpaceConversationWithMessages>;
  /** Records a read of a conversation that another service carries out. Throws 404 if the space has no such conversation. */
  recordRead(space: ConversationsAccess, id: string): Promise<void>;
  /**
   * Returns the lines of an export. They are read while they are consumed.
   *
   * @param recheck called before messages are read, at most once per 100 ms, and before each page of conversations. The lines end with
   *   its error if it rejects.
   */
  export(
    space: ConversationsAccess,
    filters: ConversationFilters,
    format: 'jsonl' | 'csv',
    recheck: () => Promise<unknown>,
  ): Promise<AsyncGenerator<string>>;
}

export function createSpaceConversations(
  repository: SpaceConversationRepository,
  documents: Pick<Documents, 'named'>,
): SpaceConversations {
  async function queryOf(
    { spaceId }: ConversationsAccess,
    { sub, linkId: given, from, to, handoff }: ConversationFilters,
  ): Promise<ConversationQuery> {
    const linkId = given?.toLowerCase() ?? null;
    const owner =
      sub === undefined ? await ownerThrough(spaceId, linkId) : ownerOfSub(spaceId, sub).name;
    return {
      spaceId,
      owner,
      linkId,
      handoff: handoff ?? null,
      from: toMilliseconds(from),
      to: toMilliseconds(to),
    };
  }

  /** Records a read of a conversation and returns the conversation. Throws 404 if the space has no such conversation. */
  async function recordRead(spaceId: string, id: string): Promise<SpaceConversation> {
    const found = await repository.findRecorded(spaceId, id, ({ owner }) => {
      const { sub } = personOf(owner);
      return { action: 'conversation.read', spaceId, resourceId: id, sub };
    });
    if (found === undefined) throw noSuchConversation();
    return toSpaceConversation(found);
  }

  /** Returns the owner key of all conversations through a link, or `null` without a link or if it was deleted. */
  async function ownerThrough(spaceId: string, linkId: string | null): Promise<string | null> {
    if (linkId === null) return null;
    const sub = await repository.subOfLink(spaceId, linkId);
    return sub === undefined ? null : ownerOf({ spaceId, linkId, sub }).name;
  }

  async function* exportLines(
    query: ConversationQuery,
    filters: ConversationFilters,
    format: 'jsonl' | 'csv',
    recheck: () => Promise<unknown>,
  ): AsyncGenerator<string> {
    const toLine = format === 'csv' ? toCsvLine : toJsonLine;
    if (format === 'csv') yield CSV_HEADER;
    let before: Before | null = null;
    let checkedAt = performance.now();
    const recheckLate = async () => {
      // A client that reads slowly can hold an export back for hours.
      if (performance.now() - checkedAt < RECHECK_AFTER_MS) return;
      await recheck();
      checkedAt = performance.now();
    };
    for (;;) {
      const rows = await repository.page(query, before, EXPORTED_AT_ONCE);
      for (const row of rows.filter((each) => matches(each, filters)))
        for await (const messages of messagesOf(query.spaceId, row, recheckLate))
          yield messages.map((message) => toLine(toExportedMessage(row, message))).join('');
      const last = rows.at(-1);
      if (last === undefined || rows.length < EXPORTED_AT_ONCE) return;
      before = last;
      await setImmediate();
      await recheck();
      checkedAt = performance.now();
    }
  }

  async function* messagesOf(
    spaceId: string,
    { id }: SummarisedConversation,
    recheckLate: () => Promise<void>,
  ) {
    let after = -1;
    for (;;) {
      await recheckLate();
      const messages = await repository.messages(spaceId, id, after, MESSAGES_AT_ONCE);
      if (messages.length > 0) yield messages;
      const last = messages.at(-1);
      if (last === undefined || messages.length < MESSAGES_AT_ONCE) return;
      after = last.position;
      await setImmediate();
    }
  }

  return {
    async list(space, { limit, after, ...filters }) {
      const count = readLimit(limit);
      const first = readBefore(after);
      const query = await queryOf(space, filters);
      await repository.record(factOf('conversations.listed', space, filters));
      return page(repository, query, filters, first, count);
    },

    async show(space, id, { limit, after }) {
      const { spaceId } = space;
      const count = readLimit(limit);
      const position = readPositionCursor(after) ?? -1;
      const conversation = await recordRead(spaceId, id);
      const rows = await repository.messages(spaceId, id, position, count + 1);
      const cited = new Set(rows.flatMap(sourcesOf).map(({ documentId }) => documentId));
      const named = await documents.named(scopeOfSpace(space), [...cited]);
      const messages: Page<SpaceMessage> = toPage(
        rows,
        count,
        (row) => String(row.position),
        (row) => toSpaceMessage(row, named),
      );
      return { ...conversation, messages };
    },

    recordRead: async ({ spaceId }, id) => {
      await recordRead(spaceId, id);
    },

    async export(space, filters, format, recheck) {
      const query = await queryOf(space, filters);
      const fact = factOf('conversations.exported', space, filters);
      await repository.record({ ...fact, details: { ...fact.details, format } });
      return exportLines(query, filters, format, recheck);
    },
  };
}

async function page(
  repository: SpaceConversationRepository,
  query: ConversationQuery,
  filters: ConversationFilters,
  first: Before | null,
  count: number,
): Promise<Page<SpaceConversation>> {
  const { rating, answered, linkId } = filters;
  const needsCounts = [rating, answered, linkId].some((filter) => filter !== undefined);
  const atOnce = needsCounts ? EXAMINED_AT_ONCE : count + 1;
  const found: SummarisedConversation[] = [];
  let before = first;
  for (let examined = 0; examined < MAX_EXAMINED; examined += atOnce) {
    const rows = await repository.page(query, before, atOnce);
    found.push(...rows.filter((row) => matches(row, filters)));
    const last = rows.at(-1);
    if (found.length > count || last === undefined || rows.length < atOnce)
      return toPage(found, count, cursorOf, toSpaceConversation);
    before = last;
    await setImmediate();
  }
  const next = before === null ? null : encodeCursor(cursorOf(before));
  return { items: found.map(toSpaceConversation), next };
}

function cursorOf({ created_at, id }: Before): string {
  return `${created_at}.${id}`;
}

function readBefore(after: string | undefined): Before | null {
  const [time = '', id = ''] = readTextCursor(after, CURSOR)?.split('.') ?? [];
  return id === '' ? null : { created_at: Number(time), id };
}

/** Returns the entry of the audit for a read with filters. */
function factOf(
  action: 'conversations.listed' | 'conversations.exported',
  { spaceId }: ConversationsAccess,
  { sub = null, ...filters }: Omit<ConversationFilters, 'sub'> & { sub?: string | null },
): AuditFact {
  return { action, spaceId, resourceId: null, sub, details: filters };
}
