import { type Issue, MAX_DOCUMENT_BYTES, type NewDocument } from '@gatehouse/contract';
import type { JsonObject } from '@gatehouse/filter';
import { readJsonMember } from '../../http/index.ts';
import { invalid, tooLarge, unknownFormat } from './document.errors.ts';
import { isLanguage } from './document.rules.ts';
import { fileNameProblem } from './file-name.rules.ts';
import { formatOf, type NamedBytes } from './format.rules.ts';
import { MAX_METADATA_BYTES, readMetadata } from './metadata.rules.ts';
import type { UploadParts } from './multipart.ts';
import type { SentDocument } from './upload.service.ts';

/** MIME types by the member of the JSON body that contains the text. */
const MIME_TYPES = { text: 'text/plain', html: 'text/html', markdown: 'text/markdown' } as const;
export const TEXT_MEMBERS = ['text', 'html', 'markdown'] as const;

/** Reads a document from a JSON body that matches its schema. Throws 400 with every problem, or 413. */
export function fromJson(body: NewDocument): SentDocument {
  const given = TEXT_MEMBERS.filter((name) => body[name] !== undefined);
  const [kind] = given;
  const issues: Issue[] = [];
  if (kind === undefined || given.length > 1)
    issues.push({ message: 'text: exactly one of text, html and markdown is required' });
  const text = kind === undefined ? '' : (body[kind] ?? '');
  if (kind !== undefined && text.trim() === '')
    issues.push({ message: `${kind}: must not be empty` });
  if (!text.isWellFormed())
    issues.push({ message: `${kind}: must not hold half a surrogate pair` });
  const { fileName, language } = body;
  const metadata = checkProperties({ fileName, language, metadata: body.metadata }, issues);
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_DOCUMENT_BYTES) throw tooLarge(MAX_DOCUMENT_BYTES);
  return { fileName, mimeType: MIME_TYPES[kind ?? 'text'], bytes, metadata, language };
}

/** Reads a document from an uploaded file. Throws 400 with every problem, 413, or 415 for an unknown format. */
export function fromParts({ file, metadata: json, language }: UploadParts): SentDocument {
  const issues: Issue[] = [];
  const metadata = checkProperties(
    {
      fileName: file.name,
      language,
      metadata: json === undefined ? undefined : parseMetadataPart(json, issues),
    },
    issues,
  );
  const { name: fileName, bytes } = file;
  const mimeType = detectFormat('file', { fileName, contentType: file.contentType, bytes });
  return { fileName, mimeType, bytes, metadata, language };
}

/** Returns the MIME type of a file. Throws 400 with the name of `member`, 413, or 415. */
export function detectFormat(member: string, file: NamedBytes): string {
  if (file.bytes.length > MAX_DOCUMENT_BYTES) throw tooLarge(MAX_DOCUMENT_BYTES);
  const format = formatOf(file);
  if (format.ok) return format.mimeType;
  if (format.unknown) throw unknownFormat(format.reason);
  throw invalid([{ message: `${member}: ${format.reason}` }]);
}

/** White space and escapes make metadata larger in a request than in storage. */
const MAX_METADATA_TEXT = 8 * MAX_METADATA_BYTES;

/** Parses the part as strictly as a body: a duplicate member would silently lose a restriction. */
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
  readonly fileName: string;
  readonly language: string | undefined;
  readonly metadata: unknown;
}

/** Returns the metadata. Throws 400 if there is any problem, including earlier `issues`. */
export function checkProperties(
  properties: SentProperties,
  issues: Issue[],
): JsonObject | undefined {
  const nameProblem = fileNameProblem(properties.fileName);
  if (nameProblem !== null) issues.push({ message: nameProblem });
  if (properties.language !== undefined && !isLanguage(properties.language))
    issues.push({ message: 'language: must be a language tag such as de or pt-BR' });
  const read = properties.metadata === undefined ? undefined : readMetadata(properties.metadata);
  if (read !== undefined && !read.ok) issues.push(...read.issues);
  if (issues.length > 0) throw invalid(issues);
  return read?.ok === true ? read.metadata : undefined;
}
