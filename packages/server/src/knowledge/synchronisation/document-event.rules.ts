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
import { invalid } from '../documents/document.errors.ts';
import {
  checkProperties,
  detectFormat,
  fromJson,
  TEXT_MEMBERS,
} from '../documents/sent-document.ts';
import type { SentDocument } from '../documents/upload.service.ts';

/** A document event with its payload still in `text`. */
export interface IncomingEvent {
  readonly type: DocumentEventRow['type'];
  readonly subject: string;
  readonly eventId: string;
  readonly source: string;
  /** Position in the log of the space. */
  readonly position: number;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** The event as JSON. */
  readonly text: string;
}

/** A document as an event describes it, always with its metadata. */
export type SentVersion = SentDocument & { readonly metadata: JsonObject };

export interface Upserted {
  readonly sent: SentVersion;
  /** The id of the document if it is created. */
  readonly documentId: string | null;
}

const TYPES: ReadonlyMap<unknown, DocumentEventRow['type']> = new Map([
  [DOCUMENT_UPSERTED, 'upserted'],
  [DOCUMENT_DELETED, 'deleted'],
]);
const check = compileCheck(UpsertedDocument);
const UUID = new RegExp(UUID_PATTERN);
/** Prefix of an issue that concerns no single member. */
const WHOLE = 'body: ';

/** Returns null for an event of another type, or with an empty or too long subject, which ingest rejects. */
export function parseIncomingEvent({
  position,
  receivedAt,
  text,
}: StoredEvent): IncomingEvent | null {
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
 * Parses the `data` of an event of type `gatehouse.document.upserted` as strictly as an upload.
 *
 * @throws ApiError 400 with every problem, each starting with its path in the event; 413; 415 for an unknown format.
 */
export function parseUpserted(text: string): Upserted {
  const read = readData(text);
  if (!read.ok) throw invalid(read.issues, 'event');
  const checked = check(read.value);
  if (!checked.ok) throw invalid(inData(checked.issues), 'event');
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
      throw invalid(inData(error.issues), 'event');
    throw error;
  }
}

/** Reads a document from the data of an event that matches its schema. Throws 400 with every problem, 413, or 415. */
function fromEvent(data: UpsertedDocument): SentVersion {
  const { contentBase64, mimeType, documentId: _, ...document } = data;
  // An event describes the whole document: omitted metadata is empty.
  const { metadata = {} } = data;
  if (contentBase64 === undefined) {
    const sent = fromJson(document);
    if (mimeType !== undefined && mimeType !== sent.mimeType)
      throw invalid([{ message: `mimeType: must be ${sent.mimeType}, or go with contentBase64` }]);
    return { ...sent, metadata: sent.metadata ?? {} };
  }
  const issues: Issue[] = [];
  if (TEXT_MEMBERS.some((name) => document[name] !== undefined))
    issues.push({ message: 'contentBase64: must not stand beside text, html or markdown' });
  const bytes = Buffer.from(contentBase64, 'base64');
  if (bytes.toString('base64') !== contentBase64)
    issues.push({ message: 'contentBase64: must be base64 with its padding (RFC 4648)' });
  const { fileName, language } = document;
  const checked = checkProperties({ fileName, language, metadata }, issues);
  const format = detectFormat('contentBase64', { fileName, contentType: mimeType, bytes });
  return { fileName, mimeType: format, bytes, metadata: checked ?? {}, language };
}

function inData(issues: readonly Issue[]): Issue[] {
  return issues.map(({ message }) => ({
    message: message.startsWith(WHOLE) ? `data: ${message.slice(WHOLE.length)}` : `data.${message}`,
  }));
}

/** Returns the payload from `data` or `data_base64`. Rejects duplicate members, which could hide a restriction. */
function readData(text: string): ReturnType<typeof readJsonMember> {
  const members = membersOf(text);
  const encoded = members.get('data_base64');
  const bytes = encoded === undefined ? null : parse(encoded);
  if (typeof bytes !== 'string') return readJsonMember(members.get('data') ?? 'null', 'data');
  const decoded = Buffer.from(bytes, 'base64');
  if (!isUtf8(decoded)) return { ok: false, issues: [{ message: 'data_base64: must be UTF-8' }] };
  return readJsonMember(decoded.toString(), 'data');
}

/** Returns the exact text of each member. */
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
