import {
  type DocumentChange,
  type Issue,
  MAX_DOCUMENT_BYTES,
  MAX_DOCUMENT_URL_LENGTH,
  MAX_TITLE_LENGTH,
  type NewDocument,
} from '@gatehouse/contract';
import type { JsonObject } from '@gatehouse/filter';
import { readJsonMember } from '../../http/index.ts';
import { readTitleText } from '../parsers/title.ts';
import type { Content } from '../uploads/content.ts';
import type { UploadParts } from '../uploads/multipart.ts';
import { invalid, tooLarge, unknownFormat } from './document.errors.ts';
import { isLanguage } from './document.rules.ts';
import { fileNameProblem } from './file-name.rules.ts';
import { formatOf, type NamedFile } from './format.rules.ts';
import { MAX_METADATA_BYTES, readMetadata } from './metadata.rules.ts';

export const MIME_TYPES = {
  text: 'text/plain',
  html: 'text/html',
  markdown: 'text/markdown',
} as const;
/** Matches a URL without white space, control characters and characters that reverse the direction of text. */
const WEB_URL = /^https?:\/\/[^\s\p{Cc}\p{Cs}\p{Bidi_Control}]+$/iu;
const TEXT_MEMBERS = ['text', 'html', 'markdown'] as const;

/** A validated document of a request or an event. */
export interface SentDocument {
  readonly fileName: string;
  readonly mimeType: string;
  readonly content: Content;
  /** `undefined`: an existing document keeps its metadata. */
  readonly metadata: JsonObject | undefined;
  readonly language: string | undefined;
  readonly title?: string | undefined;
  readonly url?: string | undefined;
}

/** A document whose original is a text, which is well-formed Unicode. */
export interface SentText extends Omit<SentDocument, 'content'> {
  readonly text: string;
}

/** An object that may violate the schema. The schema reports members of the wrong type. */
type Sent = Readonly<Record<string, unknown>>;

/** Returns the problems of a new document that its schema does not express. */
export function documentIssues(body: Sent): Issue[] {
  const kind = textMemberOf(body);
  const issues: Issue[] = [];
  if (kind === undefined || TEXT_MEMBERS.filter((name) => body[name] !== undefined).length > 1)
    issues.push({
      message:
        'text: exactly one of text, html and markdown is required; send other formats as a file, or in an event as contentBase64',
    });
  const text = kind === undefined ? undefined : body[kind];
  if (typeof text === 'string') {
    if (text.trim() === '') issues.push({ message: `${kind}: must not be empty` });
    if (!text.isWellFormed())
      issues.push({ message: `${kind}: must not contain a lone surrogate` });
  }
  return [...issues, ...propertyIssues(body)];
}

/** Returns the first of `text`, `html` and `markdown` that a body contains. */
export function textMemberOf(body: Sent): keyof typeof MIME_TYPES | undefined {
  return TEXT_MEMBERS.find((name) => body[name] !== undefined);
}

/** Converts a JSON body, already validated against its schema, to a document. Throws 400 with every problem, or 413. */
export function fromJson(body: NewDocument): SentText {
  rejectIf(documentIssues(body));
  const kind = textMemberOf(body) ?? 'text';
  const { [kind]: text = '', fileName, language } = body;
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES) throw tooLarge(MAX_DOCUMENT_BYTES);
  return { fileName, mimeType: MIME_TYPES[kind], text, language, ...readProperties(body) };
}

/**
 * Converts an upload to a document. Throws 400 with a list of all problems, 413 if the upload is too large, or 415 if the
 * format is unknown.
 */
export function fromParts({ file, metadata: json, ...parts }: UploadParts): SentDocument {
  const issues: Issue[] = [];
  const metadata = json === undefined ? undefined : parseMetadataPart(json, issues);
  const sent = { fileName: file.name, ...parts, metadata };
  rejectIf([...issues, ...propertyIssues(sent)]);
  const { name: fileName, content, contentType, traits } = file;
  const mimeType = detectFormat('file', { fileName, contentType, traits });
  return { fileName, mimeType, content, language: parts.language, ...readProperties(sent) };
}

/** A change of a document. Omitted properties keep their values. */
export interface PropertiesChange {
  readonly title?: string | null;
  readonly url?: string | null;
  readonly metadata?: JsonObject;
}

/** Returns the problems of a change of a document that its schema does not express. */
export function changeIssues(body: Sent): Issue[] {
  if (Object.keys(body).length === 0)
    return [{ message: 'body: requires at least one of title, url and metadata' }];
  return propertyIssues(body);
}

/** Converts a JSON body, already validated against its schema, to a change of a document. Throws 400 with every problem. */
export function readChange(body: DocumentChange): PropertiesChange {
  rejectIf(changeIssues(body));
  const { title, url, metadata } = readProperties({
    title: body.title ?? undefined,
    url: body.url ?? undefined,
    metadata: body.metadata,
  });
  return {
    ...(body.title === undefined ? {} : { title: title ?? null }),
    ...(body.url === undefined ? {} : { url: url ?? null }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/**
 * Returns the MIME type of a file. Throws 413, 415, or 400 if the bytes do not match the type.
 *
 * @param member names the file in the message.
 * @param subject as in `invalid`.
 */
export function detectFormat(member: string, file: NamedFile, subject?: 'event'): string {
  if (file.traits.size > MAX_DOCUMENT_BYTES) throw tooLarge(MAX_DOCUMENT_BYTES);
  const format = formatOf(file);
  if (format.ok) return format.mimeType;
  if (format.unknown) throw unknownFormat(format.reason);
  throw invalid([{ message: `${member}: ${format.reason}` }], subject);
}

/** Maximum length of metadata text in a request. White space and escapes make it longer than stored metadata. */
const MAX_METADATA_TEXT = 8 * MAX_METADATA_BYTES;

/** Parses the part as strictly as a body, because a duplicate member could silently drop a restriction. */
function parseMetadataPart(json: string, issues: Issue[]): unknown {
  if (json.length > MAX_METADATA_TEXT) {
    issues.push({ message: `metadata: must be at most ${MAX_METADATA_BYTES} bytes of JSON` });
    return undefined;
  }
  const read = readJsonMember(json, 'metadata');
  if (read.ok) return read.value;
  issues.push(...read.issues);
  return undefined;
}

/** Returns the problems of the properties of a document that its schema does not express. `null` stands for no property. */
export function propertyIssues({ fileName, language, title, url, metadata }: Sent): Issue[] {
  const problems = [
    typeof fileName === 'string' ? fileNameProblem(fileName) : null,
    typeof language === 'string' && !isLanguage(language)
      ? 'language: must be a language tag such as de or pt-BR'
      : null,
    typeof title === 'string' ? titleProblem(title) : null,
    typeof url === 'string' ? documentUrlProblem(url) : null,
  ];
  const read = metadata === undefined ? null : readMetadata(metadata);
  return [
    ...problems.flatMap((message) => (message === null ? [] : [{ message }])),
    ...(read?.ok === false ? read.issues : []),
  ];
}

interface Properties {
  readonly title?: string | undefined;
  readonly url?: string | undefined;
  readonly metadata?: unknown;
}

/** @param sent properties without issues. */
export function readProperties({ title, url, metadata }: Properties): {
  readonly title: string | undefined;
  readonly url: string | undefined;
  readonly metadata: JsonObject | undefined;
} {
  return {
    title: title === undefined ? undefined : (readTitleText(title) ?? undefined),
    url,
    metadata: metadata as JsonObject | undefined,
  };
}

function rejectIf(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalid(issues);
}

/** Returns the problem of a document's title, with the prefix `title: `, or null if the title is valid. */
function titleProblem(title: string): string | null {
  if (title.length > 2 * MAX_TITLE_LENGTH || [...title].length > MAX_TITLE_LENGTH)
    return `title: must have at most ${MAX_TITLE_LENGTH} characters`;
  // Reading a title removes these characters.
  if (title.includes('\0') || !title.isWellFormed())
    return 'title: must not contain U+0000 or a lone surrogate';
  return readTitleText(title) === null ? 'title: must contain a visible character' : null;
}

/** Returns the problem of a document's URL, with the prefix `url: `, or null if the URL is valid. */
function documentUrlProblem(url: string): string | null {
  const problem = problemOf(url);
  return problem === null ? null : `url: ${problem}`;
}

function problemOf(text: string): string | null {
  if (text.length > 2 * MAX_DOCUMENT_URL_LENGTH || [...text].length > MAX_DOCUMENT_URL_LENGTH)
    return `must have at most ${MAX_DOCUMENT_URL_LENGTH} characters`;
  if (!WEB_URL.test(text) || !URL.canParse(text))
    return 'must be an absolute URL that starts with https:// or http://';
  const { username, password } = new URL(text);
  // Every user who may see the document could use the password.
  if (username !== '' || password !== '') return 'must not contain a user name or a password';
  return null;
}
