import {
  type DocumentChange,
  type Issue,
  MAX_DOCUMENT_BYTES,
  type NewDocument,
} from '@gatehouse/contract';
import type { JsonObject } from '@gatehouse/filter';
import { readJsonMember } from '../../http/index.ts';
import type { Content } from '../uploads/content.ts';
import type { UploadParts } from '../uploads/multipart.ts';
import { invalid, tooLarge, unknownFormat } from './document.errors.ts';
import { isLanguage } from './document.rules.ts';
import { documentUrlProblem } from './document-url.rules.ts';
import { fileNameProblem } from './file-name.rules.ts';
import { formatOf, type NamedFile } from './format.rules.ts';
import { MAX_METADATA_BYTES, readMetadata } from './metadata.rules.ts';
import { readTitle } from './title.rules.ts';

const MIME_TYPES = { text: 'text/plain', html: 'text/html', markdown: 'text/markdown' } as const;
export const TEXT_MEMBERS = ['text', 'html', 'markdown'] as const;

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

/** Converts a JSON body, already validated against its schema, to a document. Throws 400 with every problem, or 413. */
export function fromJson(body: NewDocument): SentText {
  const given = TEXT_MEMBERS.filter((name) => body[name] !== undefined);
  const [kind] = given;
  const issues: Issue[] = [];
  if (kind === undefined || given.length > 1)
    issues.push({
      message:
        'text: exactly one of text, html and markdown is required; send other formats as a file, or in an event as contentBase64',
    });
  const text = kind === undefined ? '' : (body[kind] ?? '');
  if (kind !== undefined && text.trim() === '')
    issues.push({ message: `${kind}: must not be empty` });
  if (!text.isWellFormed()) issues.push({ message: `${kind}: must not contain a lone surrogate` });
  const { fileName, language } = body;
  const properties = checkProperties(body, issues);
  if (Buffer.byteLength(text) > MAX_DOCUMENT_BYTES) throw tooLarge(MAX_DOCUMENT_BYTES);
  return { fileName, mimeType: MIME_TYPES[kind ?? 'text'], text, language, ...properties };
}

/**
 * Converts an upload to a document. Throws 400 with a list of all problems, 413 if the upload is too large, or 415 if the
 * format is unknown.
 */
export function fromParts({ file, metadata: json, ...parts }: UploadParts): SentDocument {
  const issues: Issue[] = [];
  const metadata = json === undefined ? undefined : parseMetadataPart(json, issues);
  const properties = checkProperties({ fileName: file.name, ...parts, metadata }, issues);
  const { name: fileName, content, contentType, traits } = file;
  const mimeType = detectFormat('file', { fileName, contentType, traits });
  return { fileName, mimeType, content, language: parts.language, ...properties };
}

/** A change of a document. Omitted properties keep their values. */
export interface PropertiesChange {
  readonly title?: string | null;
  readonly url?: string | null;
  readonly metadata?: JsonObject;
}

/** Converts a JSON body, already validated against its schema, to a change of a document. Throws 400 with every problem. */
export function readChange(body: DocumentChange): PropertiesChange {
  if (Object.keys(body).length === 0)
    throw invalid([{ message: 'body: requires at least one of title, url and metadata' }]);
  const issues: Issue[] = [];
  const { title, url, metadata } = readProperties(
    { title: body.title ?? undefined, url: body.url ?? undefined, metadata: body.metadata },
    issues,
  );
  if (issues.length > 0) throw invalid(issues);
  return {
    ...(body.title === undefined ? {} : { title: title ?? null }),
    ...(body.url === undefined ? {} : { url: url ?? null }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/**
 * Returns the MIME type of a file. Throws 413, 415, or 400 if the bytes do not match the type. `member` names the file in the
 * message.
 */
export function detectFormat(member: string, file: NamedFile): string {
  if (file.traits.size > MAX_DOCUMENT_BYTES) throw tooLarge(MAX_DOCUMENT_BYTES);
  const format = formatOf(file);
  if (format.ok) return format.mimeType;
  if (format.unknown) throw unknownFormat(format.reason);
  throw invalid([{ message: `${member}: ${format.reason}` }]);
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

interface SentProperties {
  readonly title?: string | undefined;
  readonly url?: string | undefined;
  readonly metadata?: unknown;
}

interface CheckedProperties {
  readonly title: string | undefined;
  readonly url: string | undefined;
  readonly metadata: JsonObject | undefined;
}

/** Validates the properties of a new document. Throws 400 with all problems, including `issues`. */
export function checkProperties(
  sent: SentProperties & { readonly fileName: string; readonly language?: string | undefined },
  issues: Issue[],
): CheckedProperties {
  const nameProblem = fileNameProblem(sent.fileName);
  if (nameProblem !== null) issues.push({ message: nameProblem });
  if (sent.language !== undefined && !isLanguage(sent.language))
    issues.push({ message: 'language: must be a language tag such as de or pt-BR' });
  const properties = readProperties(sent, issues);
  if (issues.length > 0) throw invalid(issues);
  return properties;
}

/** Returns the valid properties and appends the problems of the others to `issues`. */
function readProperties(
  { title, url, metadata }: SentProperties,
  issues: Issue[],
): CheckedProperties {
  const readTitle = title === undefined ? undefined : titleOf(title, issues);
  const urlProblem = url === undefined ? null : documentUrlProblem(url);
  if (urlProblem !== null) issues.push({ message: urlProblem });
  const read = metadata === undefined ? undefined : readMetadata(metadata);
  if (read?.ok === false) issues.push(...read.issues);
  return { title: readTitle, url, metadata: read?.ok === true ? read.metadata : undefined };
}

function titleOf(sent: string, issues: Issue[]): string | undefined {
  const read = readTitle(sent);
  if (read.ok) return read.title;
  issues.push({ message: read.problem });
  return undefined;
}
