import {
  DOCUMENT_DELETED,
  DOCUMENT_UPSERTED,
  type Issue,
  MAX_DOCUMENT_SUBJECT_BYTES,
  UpsertedDocument,
  UUID,
} from '@gatehouse/contract';
import type { JsonObject } from '@gatehouse/filter';
import { compileCheck, readJsonMember } from '../../http/index.ts';
import { isObject, JsonCursor, parse, textAt } from '../../lib/json/index.ts';
import type { DocumentEventRow, StoredEvent } from '../../storage/ports/index.ts';
import { invalid } from '../documents/document.errors.ts';
import type { SentDocument } from '../documents/sent-document.ts';
import {
  detectFormat,
  documentIssues,
  fromJson,
  MIME_TYPES,
  propertyIssues,
  readProperties,
  textMemberOf,
} from '../documents/sent-document.ts';
import { readEncodedData } from '../encoded-data.rules.ts';
import { traitsOf } from '../uploads/file-traits.ts';

/** A document event whose payload is not parsed yet. */
export interface IncomingEvent {
  readonly type: DocumentEventRow['type'];
  readonly subject: string;
  readonly eventId: string;
  readonly source: string;
  readonly position: number;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** JSON text of the event. */
  readonly text: string;
}

/** The document in an event. Omitted metadata is empty. */
export type SentVersion = SentDocument & { readonly metadata: JsonObject };

export interface Upserted {
  readonly sent: SentVersion;
  /**
   * The ID of an existing document that will belong to the subject, or an ID for a new document. `null` if the event has no
   * `documentId`.
   */
  readonly documentId: string | null;
}

const TYPES: ReadonlyMap<unknown, DocumentEventRow['type']> = new Map([
  [DOCUMENT_UPSERTED, 'upserted'],
  [DOCUMENT_DELETED, 'deleted'],
]);
const check = compileCheck(UpsertedDocument);
/** Prefix of issues about the whole body. */
const BODY_PREFIX = 'body: ';

/** Returns null for an event of another type, and for an empty or too long subject. Ingest rejects such subjects. */
export function parseIncomingEvent({
  position,
  receivedAt,
  text,
}: StoredEvent): IncomingEvent | null {
  const event = parse(text) as Readonly<Record<string, unknown>>;
  const { subject, id, source } = event;
  const type = TYPES.get(event['type']);
  if (type === undefined || typeof subject !== 'string') return null;
  if (subject === '' || Buffer.byteLength(subject) > MAX_DOCUMENT_SUBJECT_BYTES) return null;
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
  const issues = [...(checked.ok ? [] : checked.issues), ...dataIssues(read.value)];
  if (!checked.ok || issues.length > 0) throw invalid(inData(issues), 'event');
  const { documentId = '' } = checked.value;
  return {
    sent: toSent(checked.value),
    documentId: UUID.test(documentId) ? documentId.toLowerCase() : null,
  };
}

/** Returns the problems of event data that its schema does not express. The data may violate the schema. */
function dataIssues(data: unknown): Issue[] {
  if (!isObject(data)) return [];
  const { contentBase64, mimeType } = data;
  if (contentBase64 === undefined) {
    const kind = textMemberOf(data);
    const expected = MIME_TYPES[kind ?? 'text'];
    const isWrong = kind !== undefined && typeof mimeType === 'string' && mimeType !== expected;
    const issue = { message: `mimeType: must be ${expected}; other types require contentBase64` };
    return [...documentIssues(data), ...(isWrong ? [issue] : [])];
  }
  const problems = [];
  if (textMemberOf(data) !== undefined)
    problems.push('contentBase64: must not be combined with text, html or markdown');
  if (typeof contentBase64 === 'string' && !isBase64(contentBase64))
    problems.push('contentBase64: must be base64 with padding (RFC 4648)');
  return [...problems.map((message) => ({ message })), ...propertyIssues(data)];
}

function isBase64(text: string): boolean {
  return Buffer.from(text, 'base64').toString('base64') === text;
}

/** Returns the document of event data without issues. Throws 400 for bytes that do not match the format, 413, or 415. */
function toSent(data: UpsertedDocument): SentVersion {
  const { contentBase64, mimeType, documentId: _, ...document } = data;
  if (contentBase64 === undefined) {
    const { text, ...sent } = fromJson(document);
    return { ...sent, content: Buffer.from(text), metadata: sent.metadata ?? {} };
  }
  const { fileName, language } = document;
  const bytes = Buffer.from(contentBase64, 'base64');
  const file = { fileName, contentType: mimeType, traits: traitsOf(bytes) };
  const { metadata = {}, ...properties } = readProperties(document);
  return {
    fileName,
    mimeType: detectFormat('data.contentBase64', file, 'event'),
    content: bytes,
    language,
    ...properties,
    metadata,
  };
}

function inData(issues: readonly Issue[]): Issue[] {
  return issues.map(({ message }) => ({
    message: message.startsWith(BODY_PREFIX)
      ? `data: ${message.slice(BODY_PREFIX.length)}`
      : `data.${message}`,
  }));
}

/** Returns the payload in `data` or `data_base64`. Rejects duplicate members, which could hide a restriction. */
function readData(text: string): ReturnType<typeof readJsonMember> {
  const members = membersOf(text);
  const encoded = members.get('data_base64');
  const bytes = encoded === undefined ? null : parse(encoded);
  return typeof bytes === 'string'
    ? readEncodedData(bytes)
    : readJsonMember(members.get('data') ?? 'null', 'data');
}

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
