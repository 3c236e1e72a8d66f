import { ApiError, invalidRequest } from '@gatehouse/contract';
import { releaseBytes } from '../../lib/memory/index.ts';
import { MultipartSplitter } from './multipart-splitter.ts';
import type { FileWriter, ReceivedFile } from './original-writer.ts';

/** The parts of an upload. Their contents are not validated. */
export interface UploadParts<Received = ReceivedFile> {
  readonly file: Received & {
    readonly name: string;
    readonly contentType: string;
  };
  /** JSON text. */
  readonly metadata: string | undefined;
  readonly language: string | undefined;
  readonly title: string | undefined;
  readonly url: string | undefined;
}

/** Names of the optional parts of a document. */
export const DOCUMENT_PARTS = ['title', 'url', 'metadata', 'language'] as const;
type TextPart = (typeof DOCUMENT_PARTS)[number];
/** Boundary syntax of RFC 2046, section 5.1.1. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i;
/** The character by which decoders replace invalid UTF-8. */
const REPLACEMENT = '\uFFFD';

/**
 * Reads a `multipart/form-data` body (RFC 7578) with a part `file` that has a file name, and optional text parts. Passes the
 * content of the file to the writer while the body arrives. Releases the memory of each chunk.
 *
 * @param contentType The request's `Content-Type` with its boundary.
 * @param textParts names of the accepted text parts.
 * @throws ApiError 400 with every problem, or 413 if the file is too large.
 */
export async function readMultipart<Received>(
  chunks: AsyncIterable<Uint8Array>,
  contentType: string,
  writer: FileWriter<Received>,
  textParts: readonly TextPart[],
): Promise<UploadParts<Received>> {
  const boundary = boundaryOf(contentType);
  if (boundary === null) throw malformed();
  const splitter = new MultipartSplitter(boundary, writer);
  for await (const chunk of chunks) {
    if (!(await splitter.write(chunk))) throw malformed();
    releaseBytes(chunk);
  }
  const form = await parseForm(splitter, contentType);
  const problems = problemsOf(form, textParts);
  const file = form.get('file');
  if (problems.length > 0 || !(file instanceof File)) throw invalidRequest('knowledge', problems);
  if (splitter.files !== 1) throw malformed();
  return {
    file: { name: file.name, contentType: file.type, ...(await writer.finish()) },
    metadata: textOf(form, 'metadata'),
    language: textOf(form, 'language'),
    title: textOf(form, 'title'),
    url: textOf(form, 'url'),
  };
}

/** Parses the parts with Node's parser. It gets no contents of files, because it would hold several copies of them. */
async function parseForm(splitter: MultipartSplitter, contentType: string): Promise<FormData> {
  const rest = splitter.end();
  if (rest === null) throw malformed();
  const form = await new Response(rest, { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw malformed();
    });
  // The parser and the splitter must agree on which parts are files.
  const files = [...form.values()].filter((value) => value instanceof File);
  if (files.length !== splitter.files) throw malformed();
  return form;
}

function problemsOf(form: FormData, textParts: readonly string[]): string[] {
  const problems: string[] = [];
  for (const name of new Set(form.keys())) {
    if (name !== 'file' && !textParts.includes(name))
      problems.push(`${JSON.stringify(name.slice(0, 80))}: unknown part; ${knownParts(textParts)}`);
    else if (form.getAll(name).length > 1)
      problems.push(`${name}: is given twice; send one document per request`);
    else if (name !== 'file' && typeof form.get(name) !== 'string')
      problems.push(`${name}: must be text, not a file`);
  }
  const file = form.get('file');
  if (file === null) problems.push('file: is required');
  else if (typeof file === 'string') problems.push('file: must have a file name');
  else if (file.name.includes(REPLACEMENT)) problems.push('file: must have a name in UTF-8');
  for (const name of textParts)
    if (textOf(form, name)?.includes(REPLACEMENT)) problems.push(`${name}: must be in UTF-8`);
  return problems;
}

function knownParts(textParts: readonly string[]): string {
  if (textParts.length === 0) return 'the only known part is file';
  const names = ['file', ...textParts];
  return `the known parts are ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function textOf(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** Returns the boundary if it is well-formed and unique, so that Node's parser uses the same boundary; otherwise null. */
function boundaryOf(contentType: string): string | null {
  if (contentType.split(/boundary=/i).length !== 2) return null;
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  return quoted ?? plain ?? null;
}

function malformed(): ApiError {
  return new ApiError({
    status: 400,
    code: 'knowledge.malformed-multipart',
    message:
      'The body is not well-formed multipart/form-data. Each part needs headers, and the boundary of the Content-Type must separate the parts.',
  });
}
