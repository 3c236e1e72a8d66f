import type { Conversation, Feedback, KeptMessage, SourcePart } from '@gatehouse/contract';
import type { NamedDocument } from '../../knowledge/index.ts';
import type { StoredConversation, StoredMessage } from './conversation.repository.ts';

const TITLE_LENGTH = 80;

/** A conversation's title: its first question on one line, cut at a word where it is long. */
export function titleOf(question: string): string {
  const line = question.replace(/\s+/gu, ' ').trim();
  const characters = [...line];
  if (characters.length <= TITLE_LENGTH) return line;
  const cut = characters.slice(0, TITLE_LENGTH - 1).join('');
  const word = cut.lastIndexOf(' ');
  return `${word > TITLE_LENGTH / 2 ? cut.slice(0, word) : cut}…`;
}

export function toConversation(row: StoredConversation): Conversation {
  return {
    id: row.id,
    title: row.title,
    createdAt: toTime(row.created_at),
    updatedAt: toTime(row.updated_at),
  };
}

/** What is answered for an id that names nothing of the caller's. */
export function emptyConversation(id: string): Conversation {
  return { id, title: null, createdAt: null, updatedAt: null };
}

/** The documents that a message could have drawn on. */
export function documentsOf({ documents }: Pick<StoredMessage, 'documents'>): string[] {
  return JSON.parse(documents) as string[];
}

/** Whether everything that a message could have drawn on may be seen. */
export function mayBeSeen(
  documents: readonly string[],
  visible: ReadonlyMap<string, NamedDocument>,
): boolean {
  return documents.every((id) => visible.has(id));
}

/**
 * A message as it is shown.
 *
 * @param visible of the documents of all messages, those that may be seen today.
 */
export function toKeptMessage(
  row: StoredMessage,
  visible: ReadonlyMap<string, NamedDocument>,
): KeptMessage {
  const { id, role } = row;
  const createdAt = toTime(row.created_at);
  if (role === 'user')
    return { id, role, parts: [{ type: 'text', text: row.text }], metadata: { createdAt } };
  if (!mayBeSeen(documentsOf(row), visible))
    return { id, role, parts: [], metadata: { createdAt, state: 'hidden' } };
  const sources = (JSON.parse(row.sources) as Source[]).flatMap((source) => {
    const document = visible.get(source.documentId);
    return document === undefined ? [] : [toSourcePart(source, document)];
  });
  return {
    id,
    role,
    parts: [...(row.text === '' ? [] : [{ type: 'text' as const, text: row.text }]), ...sources],
    metadata: { createdAt, state: row.state, ...feedbackOf(row) },
  };
}

function feedbackOf({ rating, comment }: StoredMessage): { feedback?: Feedback } {
  if (rating === null) return {};
  return { feedback: { rating, ...(comment === null ? {} : { comment }) } };
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** A citation as it is kept: where the passage stands, and not what it says. */
export interface Source {
  /** As the answer cites it. */
  readonly number: number;
  readonly documentId: string;
  readonly position: number;
  readonly heading: string | null;
}

/** A citation as it is shown, with what its document is called today. */
export function toSourcePart(
  { number, documentId, position, heading }: Source,
  { fileName, mimeType }: NamedDocument,
): SourcePart {
  return {
    type: 'source-document',
    sourceId: `${documentId}#${position}`,
    mediaType: mimeType,
    title: fileName,
    filename: fileName,
    providerMetadata: { gatehouse: { number, documentId, position, heading } },
  };
}
