import { ApiError, invalidRequest } from '@gatehouse/contract';

/** The parts of an upload. Their contents are not validated. */
export interface UploadParts {
  readonly file: {
    readonly name: string;
    readonly contentType: string;
    /** A view of the body. */
    readonly bytes: Uint8Array;
  };
  /** JSON text. */
  readonly metadata: string | undefined;
  readonly language: string | undefined;
  readonly title: string | undefined;
  readonly url: string | undefined;
}

const TEXT_PARTS = ['metadata', 'language', 'title', 'url'];
/** Maximum number of boundaries. More than a valid upload needs, so that the error can name an unknown part. */
const MAX_BOUNDARIES = 20;
const MAX_HEADER_BYTES = 8 * 1024;
/** Boundary syntax of RFC 2046, section 5.1.1. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i;
/** The character by which decoders replace invalid UTF-8. */
const REPLACEMENT = '\uFFFD';

/**
 * Reads a `multipart/form-data` body (RFC 7578) with a part `file` that has a file name, and optional parts `metadata`,
 * `language`, `title` and `url`.
 *
 * @param contentType The request's `Content-Type` with its boundary.
 * @throws ApiError 400 with every problem.
 */
export async function readMultipart(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<UploadParts> {
  const { form, files } = await parse(bytes, contentType);
  const problems = problemsOf(form);
  const file = form.get('file');
  if (problems.length > 0 || !(file instanceof File)) throw invalidRequest('knowledge', problems);
  const [content, ...others] = files;
  if (content === undefined || others.length > 0) throw malformed();
  return {
    file: { name: file.name, contentType: file.type, bytes: content },
    metadata: textOf(form, 'metadata'),
    language: textOf(form, 'language'),
    title: textOf(form, 'title'),
    url: textOf(form, 'url'),
  };
}

function problemsOf(form: FormData): string[] {
  const problems: string[] = [];
  for (const name of new Set(form.keys())) {
    if (name !== 'file' && !TEXT_PARTS.includes(name))
      problems.push(
        `${JSON.stringify(name.slice(0, 80))}: unknown part; the known parts are file, title, url, metadata and language`,
      );
    else if (form.getAll(name).length > 1)
      problems.push(`${name}: is given twice; send one document per request`);
    else if (name !== 'file' && typeof form.get(name) !== 'string')
      problems.push(`${name}: must be text, not a file`);
  }
  const file = form.get('file');
  if (file === null) problems.push('file: is required');
  else if (typeof file === 'string') problems.push('file: must have a file name');
  else if (file.name.includes(REPLACEMENT)) problems.push('file: must have a name in UTF-8');
  for (const name of TEXT_PARTS)
    if (textOf(form, name)?.includes(REPLACEMENT)) problems.push(`${name}: must be in UTF-8`);
  return problems;
}

function textOf(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return typeof value === 'string' ? value : undefined;
}

interface ParsedBody {
  /** The parts. File parts have no content here. */
  readonly form: FormData;
  /** The contents of the files, as views of the body. */
  readonly files: readonly Uint8Array[];
}

/** Parses the body with Node's parser. The parser would copy the contents of files several times, so it does not get them. */
async function parse(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<ParsedBody> {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const split = splitBody(body, contentType);
  if (split === null) throw malformed();
  const { files, rest } = split;
  const form = await new Response(rest, { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => {
      throw malformed();
    });
  // The parser and `splitBody` must agree on which parts are files.
  if ([...form.values()].filter((value) => value instanceof File).length !== files.length)
    throw malformed();
  return { form, files };
}

interface SplitBody {
  readonly files: readonly Uint8Array[];
  /** The body without the contents of its files. */
  readonly rest: Buffer<ArrayBuffer>;
}

const HEADER_END = '\r\n\r\n';
/** Precedes each boundary after the first. */
const DELIMITER = '\r\n--';
const FILE_NAME = /;\s*filename\s*=/i;

/**
 * Separates the contents of files from a body. Returns null if the boundary is invalid, or if a body has so many parts or such
 * long part headers that Node's parser would take seconds.
 */
function splitBody(body: Buffer<ArrayBuffer>, contentType: string): SplitBody | null {
  const boundary = boundaryOf(contentType);
  if (boundary === null) return null;
  const files: Uint8Array[] = [];
  const kept: Uint8Array[] = [];
  let keptTo = 0;
  let at = body.indexOf(boundary);
  for (let count = 1; at !== -1; count++) {
    if (count > MAX_BOUNDARIES) return null;
    const after = at + boundary.length;
    const next = body.indexOf(boundary, after);
    const headerEnd = body.indexOf(HEADER_END, at);
    const isLast = body.toString('latin1', after, after + 2) === '--';
    if (!isLast && (headerEnd === -1 || headerEnd - at > MAX_HEADER_BYTES)) return null;
    const start = headerEnd + HEADER_END.length;
    const end = next - DELIMITER.length;
    if (!isLast && start <= end && FILE_NAME.test(body.toString('utf8', after, headerEnd))) {
      files.push(body.subarray(start, end));
      kept.push(body.subarray(keptTo, start));
      keptTo = end;
    }
    at = next;
  }
  kept.push(body.subarray(keptTo));
  return { files, rest: Buffer.concat(kept) };
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
