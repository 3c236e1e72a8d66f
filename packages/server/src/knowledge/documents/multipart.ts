import { ApiError, invalidRequest } from '@gatehouse/contract';

/** The parts of an upload by name, not validated. */
export interface UploadParts {
  readonly file: {
    readonly name: string;
    readonly contentType: string;
    readonly bytes: Uint8Array;
  };
  /** JSON text. */
  readonly metadata: string | undefined;
  readonly language: string | undefined;
}

const TEXT_PARTS = ['metadata', 'language'];
/** More than the known parts, so that the error can name an unknown one. */
const MAX_BOUNDARIES = 20;
const MAX_HEAD_BYTES = 8 * 1024;
/** Boundary of the characters that RFC 2046, section 5.1.1, permits. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i;
/** Replaces bytes that are not UTF-8 when text is decoded. */
const REPLACEMENT = '\uFFFD';

/**
 * Reads a `multipart/form-data` body (RFC 7578): one part `file` with a file name, and at most one each
 * of `metadata` and `language`.
 *
 * @param contentType the request's, with its boundary.
 * @throws ApiError 400 with every problem.
 */
export async function readMultipart(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
): Promise<UploadParts> {
  const form = await parse(bytes, contentType);
  const problems = problemsOf(form);
  const file = form.get('file');
  if (problems.length > 0 || !(file instanceof File)) throw invalidRequest('knowledge', problems);
  return {
    file: {
      name: file.name,
      contentType: file.type,
      bytes: new Uint8Array(await file.arrayBuffer()),
    },
    metadata: textOf(form, 'metadata'),
    language: textOf(form, 'language'),
  };
}

function problemsOf(form: FormData): string[] {
  const problems: string[] = [];
  for (const name of new Set(form.keys())) {
    if (name !== 'file' && !TEXT_PARTS.includes(name))
      problems.push(
        `${JSON.stringify(name.slice(0, 80))}: unknown part; known are file, metadata, language`,
      );
    else if (form.getAll(name).length > 1)
      problems.push(`${name}: is given twice; send one document in one request`);
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

async function parse(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData> {
  if (!isCheapToParse(bytes, contentType)) throw malformed();
  try {
    return await new Response(bytes, { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw malformed();
  }
}

/**
 * Reports whether the parts and their heads are as few and short as in any real upload. Node's parser would take
 * seconds for hundreds of thousands of parts or a head of megabytes.
 */
function isCheapToParse(bytes: Uint8Array, contentType: string): boolean {
  const boundary = boundaryOf(contentType);
  if (boundary === null) return false;
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = body.indexOf(boundary);
  for (let count = 1; at !== -1; count++) {
    if (count > MAX_BOUNDARIES) return false;
    const next = body.indexOf(boundary, at + boundary.length);
    const head = body.indexOf('\r\n\r\n', at);
    const isLast = body.toString('latin1', at + boundary.length, at + boundary.length + 2) === '--';
    if (!isLast && (head === -1 || head - at > MAX_HEAD_BYTES)) return false;
    at = next;
  }
  return true;
}

/** Returns null unless the boundary is well-formed and unique, so that Node's parser uses the same one. */
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
      'The body is not well-formed multipart/form-data: each part needs its head, and the boundary of the Content-Type must stand around them.',
  });
}
