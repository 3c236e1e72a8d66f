import { ApiError } from '@gatehouse/contract';

/** The parts of an upload by their names; none is checked yet. */
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
const MAX_ISSUES = 100;

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
  if (problems.length > 0 || !(file instanceof File)) throw invalidParts(problems);
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

function textOf(form: FormData, name: string): string | undefined {
  const value = form.get(name);
  return typeof value === 'string' ? value : undefined;
}

async function parse(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new ApiError({
      status: 400,
      code: 'knowledge.malformed-multipart',
      message:
        'The body is not well-formed multipart/form-data: each part needs its head, and the boundary of the Content-Type must stand around them.',
    });
  }
}

function invalidParts(problems: readonly string[]): ApiError {
  return new ApiError({
    status: 400,
    code: 'knowledge.invalid',
    message: `The request has a problem: ${problems.slice(0, 3).join('; ')}.`,
    issues: problems.slice(0, MAX_ISSUES).map((message) => ({ message })),
  });
}
