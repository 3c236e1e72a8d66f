import {
  type Issue,
  MAX_DOCUMENT_BYTES,
  type NewDocument,
  type UpsertedDocument,
} from '@gatehouse/contract';
import type { JsonObject } from '@gatehouse/filter';
import { readJsonMember } from '../../http/index.ts';
import { invalid, tooLarge, unknownFormat } from '../knowledge.errors.ts';
import { fileNameProblem } from './file-name.rules.ts';
import { formatOf, type NamedBytes } from './format.rules.ts';
import { isLanguage } from './language.rules.ts';
import { MAX_METADATA_BYTES, readMetadata } from './metadata.rules.ts';
import type { UploadParts } from './multipart.ts';
import type { SentDocument } from './upload.service.ts';

const KINDS = { text: 'text/plain', html: 'text/html', markdown: 'text/markdown' } as const;
const KIND_NAMES = ['text', 'html', 'markdown'] as const;

/** A document that came as JSON, checked by its schema. Throws 400 with every problem, or 413. */
export function fromJson(body: NewDocument): SentDocument {
  const given = KIND_NAMES.filter((name) => body[name] !== undefined);
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
  const metadata = checkRest({ fileName, language, metadata: body.metadata }, issues);
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_DOCUMENT_BYTES) throw tooLarge(MAX_DOCUMENT_BYTES);
  return { fileName, mimeType: KINDS[kind ?? 'text'], bytes, metadata, language };
}

/** A document as an event says it is, checked by its schema. Throws 400 with every problem, 413, or 415. */
export function fromEvent(data: UpsertedDocument): SentDocument & { metadata: JsonObject } {
  const { contentBase64, mimeType, documentId: _, ...document } = data;
  // An event says all of a document: what it leaves out is not there.
  const { metadata = {} } = data;
  if (contentBase64 === undefined) {
    const sent = fromJson(document);
    if (mimeType !== undefined && mimeType !== sent.mimeType)
      throw invalid([{ message: `mimeType: must be ${sent.mimeType}, or go with contentBase64` }]);
    return { ...sent, metadata: sent.metadata ?? {} };
  }
  const issues: Issue[] = [];
  if (KIND_NAMES.some((name) => document[name] !== undefined))
    issues.push({ message: 'contentBase64: must not stand beside text, html or markdown' });
  const bytes = Buffer.from(contentBase64, 'base64');
  if (bytes.toString('base64') !== contentBase64)
    issues.push({ message: 'contentBase64: must be base64 with its padding (RFC 4648)' });
  const { fileName, language } = document;
  const checked = checkRest({ fileName, language, metadata }, issues);
  const format = readFormat('contentBase64', { fileName, contentType: mimeType, bytes });
  return { fileName, mimeType: format, bytes, metadata: checked ?? {}, language };
}

/** A document that came as a file. Throws 400 with every problem, 413, or 415 for an unknown format. */
export function fromParts({ file, metadata: json, language }: UploadParts): SentDocument {
  const issues: Issue[] = [];
  const metadata = checkRest(
    {
      fileName: file.name,
      language,
      metadata: json === undefined ? undefined : readPart(json, issues),
    },
    issues,
  );
  const { name: fileName, bytes } = file;
  const mimeType = readFormat('file', { fileName, contentType: file.contentType, bytes });
  return { fileName, mimeType, bytes, metadata, language };
}

function readFormat(member: string, file: NamedBytes): string {
  if (file.bytes.length > MAX_DOCUMENT_BYTES) throw tooLarge(MAX_DOCUMENT_BYTES);
  const format = formatOf(file);
  if (format.ok) return format.mimeType;
  if (format.unknown) throw unknownFormat(format.reason);
  throw invalid([{ message: `${member}: ${format.reason}` }]);
}

/** Whitespace and escapes make metadata larger in a request than it will be. */
const MOST_METADATA_TEXT = 8 * MAX_METADATA_BYTES;

/** Read as strictly as a body: a member that is given twice would silently lose a restriction. */
function readPart(json: string, issues: Issue[]): unknown {
  if (json.length > MOST_METADATA_TEXT) {
    issues.push({ message: `metadata: must be at most ${MAX_METADATA_BYTES} bytes of JSON` });
    return undefined;
  }
  const read = readJsonMember(json, 'metadata');
  if (read.ok) return read.value;
  issues.push(...read.issues);
  return undefined;
}

interface Rest {
  readonly fileName: string;
  readonly language: string | undefined;
  readonly metadata: unknown;
}

/** Throws when there is any problem, those that were found before included. */
function checkRest(rest: Rest, issues: Issue[]): JsonObject | undefined {
  const nameProblem = fileNameProblem(rest.fileName);
  if (nameProblem !== null) issues.push({ message: nameProblem });
  if (rest.language !== undefined && !isLanguage(rest.language))
    issues.push({ message: 'language: must be a language tag such as de or pt-BR' });
  const read = rest.metadata === undefined ? undefined : readMetadata(rest.metadata);
  if (read !== undefined && !read.ok) issues.push(...read.issues);
  if (issues.length > 0) throw invalid(issues);
  return read?.ok === true ? read.metadata : undefined;
}
