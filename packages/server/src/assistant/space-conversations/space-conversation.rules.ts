import type {
  CitedSource,
  ExportedMessage,
  SpaceConversation,
  SpaceMessage,
} from '@gatehouse/contract';
import type { NamedDocument } from '../../knowledge/index.ts';
import { toTime } from '../../lib/scheduling/index.ts';
import { toCsvRow } from '../../lib/text/index.ts';
import { filePartsOf } from '../attachments/attachment.rules.ts';
import { documentOf, type Source, toHandoff } from '../conversations/conversation.rules.ts';
import { personOf } from '../conversations/owner.rules.ts';
import type { ReadMessage, SummarisedConversation } from './space-conversation.repository.ts';

export interface ConversationFilters {
  readonly sub?: string;
  readonly linkId?: string;
  readonly from?: string;
  readonly to?: string;
  readonly rating?: 'up' | 'down';
  readonly answered?: 'true' | 'false';
  readonly handoff?: 'requested' | 'active' | 'open';
}

/** Reports whether the counts of a conversation match the filters. */
export function matches(
  { unanswered, up, down, isThroughLink, owner }: SummarisedConversation,
  { rating, answered, linkId }: ConversationFilters,
): boolean {
  if (rating === 'up' && up === 0) return false;
  if (rating === 'down' && down === 0) return false;
  if (answered !== undefined && (unanswered === 0) !== (answered === 'true')) return false;
  return linkId === undefined || isThroughLink || personOf(owner).linkId === linkId.toLowerCase();
}

export function toSpaceConversation(row: SummarisedConversation): SpaceConversation {
  const { id, title, questions, unanswered, up, down } = row;
  return {
    id,
    title,
    ...personOf(row.owner),
    createdAt: toTime(row.created_at),
    updatedAt: toTime(row.updated_at),
    questions,
    unanswered,
    ratings: { up, down },
    handoff: toHandoff(row),
  };
}

export function sourcesOf({ sources }: Pick<ReadMessage, 'sources'>): Source[] {
  return JSON.parse(sources) as Source[];
}

/** @param documents the existing documents, by ID. */
export function toSpaceMessage(
  row: ReadMessage,
  documents: ReadonlyMap<string, NamedDocument>,
): SpaceMessage {
  const sources = sourcesOf(row).map((source): CitedSource => {
    const { attachment: _, ...cited } = source;
    const document = documentOf(source) ?? documents.get(source.documentId);
    return {
      ...cited,
      title: document?.title ?? null,
      url: document?.url ?? null,
      ...(source.attachment === undefined ? {} : { isAttachment: true }),
    };
  });
  return { ...messageOf(row), sources, attachments: filePartsOf(row) };
}

export function toExportedMessage(
  { id, title, owner }: SummarisedConversation,
  row: ReadMessage,
): ExportedMessage {
  const { sub, linkId } = personOf(owner);
  return {
    conversationId: id,
    title,
    sub,
    conversationLinkId: linkId,
    ...messageOf(row),
    sources: sourcesOf(row).map(({ attachment: _, ...source }) => source),
  };
}

function messageOf(row: ReadMessage): Omit<SpaceMessage, 'sources' | 'attachments'> {
  const { id, role, text, state, failure, model, rating, comment } = row;
  return {
    id,
    role,
    text,
    createdAt: toTime(row.created_at),
    linkId: row.link_id,
    state,
    failure,
    answered: row.answered === null ? null : row.answered === 1,
    model,
    author: row.author,
    rating,
    comment,
  };
}

export function toJsonLine(message: ExportedMessage): string {
  return `${JSON.stringify(message)}\n`;
}

const CSV_COLUMNS = [
  'conversationId',
  'title',
  'sub',
  'conversationLinkId',
  'id',
  'role',
  'text',
  'createdAt',
  'linkId',
  'state',
  'failure',
  'answered',
  'model',
  'author',
  'rating',
  'comment',
  'sources',
] as const satisfies readonly (keyof ExportedMessage)[];

export const CSV_HEADER = toCsvRow(CSV_COLUMNS);

export function toCsvLine(message: ExportedMessage): string {
  return toCsvRow(
    CSV_COLUMNS.map((name) => {
      const value = message[name];
      if (value === null) return '';
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    }),
  );
}
