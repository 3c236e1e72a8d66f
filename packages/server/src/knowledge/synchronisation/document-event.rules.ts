import { isUtf8 } from 'node:buffer';
import {
  ApiError,
  DOCUMENT_DELETED,
  DOCUMENT_UPSERTED,
  type Issue,
  MAX_DOCUMENT_SUBJECT_LENGTH,
  UpsertedDocument,
  UUID_PATTERN,
} from '@gatehouse/contract';
import type { JsonObject } from '@gatehouse/filter';
import { compileCheck, readJsonMember } from '../../http/index.ts';
import { JsonCursor, parse, textAt } from '../../lib/json/index.ts';
import type { DocumentEventRow, StoredEvent } from '../../storage/ports/index.ts';
import { fromEvent } from '../documents/sent-document.ts';
import type { SentDocument } from '../documents/upload.service.ts';
import { invalidEvent } from '../knowledge.errors.ts';

/** An event that says what became of a document in another system, without what it says. */
export interface DocumentNews {
  readonly type: DocumentEventRow['type'];
  readonly subject: string;
  readonly eventId: string;
  readonly source: string;
  /** In the feed of its space. */
  readonly position: number;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** The event, JSON. */
  readonly text: string;
}

/** A document as an event says it is, which says all of it. */
export type SentVersion = SentDocument & { readonly metadata: JsonObject };

export interface Upserted {
  readonly sent: SentVersion;
  /** The id that the document is to have, when it is new. */
  readonly documentId: string | null;
}

const TYPES: ReadonlyMap<unknown, DocumentEventRow['type']> = new Map([
  [DOCUMENT_UPSERTED, 'upserted'],
  [DOCUMENT_DELETED, 'deleted'],
]);
const check = compileCheck(UpsertedDocument);
const UUID = new RegExp(UUID_PATTERN);
/** How an issue begins that is about no single member. */
const WHOLE = 'body: ';

/** Null for an event of another type, or one without a subject that can be kept, which no door lets in. */
export function readNews({ position, receivedAt, text }: StoredEvent): DocumentNews | null {
  const event = parse(text) as Readonly<Record<string, unknown>>;
  const { subject, id, source } = event;
  const type = TYPES.get(event['type']);
  if (type === undefined || typeof subject !== 'string') return null;
  if (subject === '' || subject.length > MAX_DOCUMENT_SUBJECT_LENGTH) return null;
  return {
    type,
    subject,
    eventId: String(id),
    source: String(source),
    position,
    receivedAt,
    text,
  };
}

/**
 * Reads the `data` of an event of type `gatehouse.document.upserted`, as strictly as an upload.
 *
 * @throws ApiError with every problem, each beginning with its path in the event; 413, or 415 for a format that is not known.
 */
export function readUpserted(text: string): Upserted {
  const read = readData(text);
  if (!read.ok) throw invalidEvent(read.issues);
  const checked = check(read.value);
  if (!checked.ok) throw invalidEvent(inData(checked.issues));
  const { documentId = '' } = checked.value;
  return {
    sent: toSent(checked.value),
    documentId: UUID.test(documentId) ? documentId.toLowerCase() : null,
  };
}

function toSent(data: UpsertedDocument): SentVersion {
  try {
    return fromEvent(data);
  } catch (error) {
    if (error instanceof ApiError && error.issues !== undefined)
      throw invalidEvent(inData(error.issues));
    throw error;
  }
}

function inData(issues: readonly Issue[]): Issue[] {
  return issues.map(({ message }) => ({
    message: message.startsWith(WHOLE) ? `data: ${message.slice(WHOLE.length)}` : `data.${message}`,
  }));
}

/** The payload as JSON, whichever way the event carries it. A name that is given twice could hide a restriction. */
function readData(text: string): ReturnType<typeof readJsonMember> {
  const members = membersOf(text);
  const encoded = members.get('data_base64');
  const bytes = encoded === undefined ? null : parse(encoded);
  if (typeof bytes !== 'string') return readJsonMember(members.get('data') ?? 'null', 'data');
  const decoded = Buffer.from(bytes, 'base64');
  if (!isUtf8(decoded)) return { ok: false, issues: [{ message: 'data_base64: must be UTF-8' }] };
  return readJsonMember(decoded.toString(), 'data');
}

/** The exact text of each member. */
function membersOf(text: string): ReadonlyMap<string, string> {
  const bytes = Buffer.from(text);
  const members = new Map<string, string>();
  const cursor = new JsonCursor(bytes);
  cursor.enter();
  while (cursor.nextMember()) {
    const start = cursor.at;
    const name = cursor.name();
    cursor.skip();
    members.set(name, textAt(bytes, start, cursor.at));
  }
  return members;
}
