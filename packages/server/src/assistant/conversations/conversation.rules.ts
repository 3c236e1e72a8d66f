import type { Conversation, Feedback, Handoff, KeptMessage, SourcePart } from '@gatehouse/contract';
import type { NamedDocument } from '../../knowledge/index.ts';
import { toTime } from '../../lib/scheduling/index.ts';
import { filePartsOf } from '../attachments/attachment.rules.ts';
import type { StoredConversation, StoredMessage } from './conversation.repository.ts';
import type { AnswerBasis, UsedDocument, VisibleAnswers } from './visible-answers.service.ts';

const TITLE_LENGTH = 80;

/** Returns a title: the question on one line, shortened to 80 characters at a word boundary. */
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
    title: row.title === '' ? null : row.title,
    createdAt: toTime(row.created_at),
    updatedAt: toTime(row.updated_at),
  };
}

/** Returns the response if the caller has no conversation with the ID. */
export function emptyConversation(id: string): Conversation {
  return { id, title: null, createdAt: null, updatedAt: null };
}

export function basisOf({
  documents,
  filter_digest: filterDigest,
}: Pick<StoredMessage, 'documents' | 'filter_digest'>): AnswerBasis {
  return { documents: JSON.parse(documents) as UsedDocument[], filterDigest };
}

/** Converts a message for a client. Answers that are not among `visible` are hidden. */
export function toKeptMessage(row: StoredMessage, visible: VisibleAnswers): KeptMessage {
  const { id, role } = row;
  const createdAt = toTime(row.created_at);
  if (role === 'user')
    return {
      id,
      role,
      parts: [{ type: 'text', text: row.text }, ...filePartsOf(row)],
      metadata: { createdAt },
    };
  if (!visible.has(basisOf(row)))
    return { id, role, parts: [], metadata: { createdAt, state: 'hidden' } };
  const sources = (JSON.parse(row.sources) as Source[]).flatMap((source) => {
    const document = documentOf(source) ?? visible.documents.get(source.documentId);
    return document === undefined ? [] : [toSourcePart(source, document)];
  });
  return {
    id,
    role,
    parts: [...(row.text === '' ? [] : [{ type: 'text' as const, text: row.text }]), ...sources],
    metadata: { createdAt, state: row.state, ...feedbackOf(row), ...authorOf(row) },
  };
}

function feedbackOf({ rating, comment }: StoredMessage): { feedback?: Feedback } {
  if (rating === null) return {};
  return { feedback: { rating, ...(comment === null ? {} : { comment }) } };
}

function authorOf({ author }: StoredMessage): { author?: string } {
  return author === null ? {} : { author };
}

/** Reports whether people answer in a conversation, so that the assistant is silent. */
export function isHandedOver({
  handoff_state: state,
}: Pick<StoredConversation, 'handoff_state'>): boolean {
  return state === 'requested' || state === 'active';
}

/** Returns the newest handoff of a conversation, or `null` if it was never handed over. */
export function toHandoff(row: HandoffColumns): Handoff | null {
  const { handoff_id: id, handoff_state: state, handoff_requested_at: requestedAt } = row;
  if (id === null || state === null || requestedAt === null) return null;
  return {
    id,
    state,
    requestedAt: toTime(requestedAt),
    author: row.handoff_author,
    endedAt: toTime(row.handoff_ended_at),
  };
}

export type HandoffColumns = Pick<
  StoredConversation,
  'handoff_id' | 'handoff_state' | 'handoff_requested_at' | 'handoff_author' | 'handoff_ended_at'
>;

/** A stored citation: the location of the passage, without its text. */
export interface Source {
  /** The number that cites the passage in the answer. */
  readonly number: number;
  readonly documentId: string;
  readonly position: number;
  readonly heading: string | null;
  /** The attachment whose ID is `documentId`. Omitted: the passage is from a document. */
  readonly attachment?: {
    readonly fileName: string;
    readonly mimeType: string;
    readonly text: string;
  };
}

/** Returns the name of the attachment of a citation, or `null` for a document. */
export function documentOf({ attachment }: Pick<Source, 'attachment'>): NamedDocument | null {
  if (attachment === undefined) return null;
  const { fileName, mimeType } = attachment;
  return { fileName, mimeType, title: fileName, url: null };
}

/** Converts a citation for a client, with the current name, title and URL of its document. */
export function toSourcePart(
  { number, documentId, position, heading, attachment }: Source,
  { fileName, title, url, mimeType }: NamedDocument,
): SourcePart {
  return {
    type: 'source-document',
    sourceId: `${documentId}#${position}`,
    mediaType: mimeType,
    title,
    filename: fileName,
    providerMetadata: {
      gatehouse: {
        ...{ number, documentId, position, heading, url },
        ...(attachment === undefined ? {} : { attachment: { text: attachment.text } }),
      },
    },
  };
}
