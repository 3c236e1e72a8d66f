import { Readable } from 'node:stream';
import type { ApiError } from '@gatehouse/contract';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { releaseBytes } from '../../lib/memory/index.ts';
import { unsupportedEncoding, unsupportedMediaType } from '../errors.ts';
import { countInPieces } from '../guards/slow-clients.ts';

/** Accepts only uncompressed JSON bodies in UTF-8 and passes them on as bytes. Rejects all other bodies with 415. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const fault = faultOf(request);
    done(fault === null || checksItsBodies(request) ? null : fault);
  });
}

/** Configuration of routes that check content types and encodings themselves. */
export const CHECKS_ITS_BODIES = { checksItsBodies: true } as const;

function checksItsBodies({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as Partial<typeof CHECKS_ITS_BODIES>).checksItsBodies === true;
}

function faultOf({ headers }: FastifyRequest): ApiError | null {
  // Some clients send a Content-Type header but no body. The header is ignored.
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
    return null;
  const type = headers['content-type'];
  if (type !== undefined && type !== 'application/json' && !isUtf8(type))
    return unsupportedMediaType();
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    return unsupportedEncoding();
  return null;
}

function isUtf8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)"?/i.exec(contentType)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}

/**
 * Accepts JSON and `multipart/form-data` bodies on the routes of this Fastify plugin, and passes them on as streams. Handlers
 * read them with `bodyChunks` or `bodyBytes`.
 */
export function acceptStreamedBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  for (const type of ['application/json', 'multipart/form-data'])
    app.addContentTypeParser(type, (request: FastifyRequest, payload: Readable, done) => {
      const length = Number(request.headers['content-length'] ?? 0);
      if (length > request.routeOptions.bodyLimit) done(tooLarge());
      else done(null, payload);
    });
}

/**
 * Yields the chunks of a streamed body. If the caller stops early, the rest of the body is discarded, so that the client can read
 * the response. Throws 413 if the body exceeds the limit of its route.
 */
export async function* bodyChunks(request: FastifyRequest): AsyncGenerator<Buffer> {
  const { body } = request;
  if (!(body instanceof Readable)) return;
  countInPieces(request.raw);
  let received = 0;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (received > request.routeOptions.bodyLimit) throw tooLarge();
      yield chunk;
    }
  } finally {
    body.resume();
  }
}

/**
 * Reads a streamed body completely. If the request has a `Content-Length`, the chunks are written directly to a buffer of that
 * size. Otherwise the body would be in memory twice: as chunks and as the joined buffer.
 */
export async function bodyBytes(request: FastifyRequest): Promise<Uint8Array> {
  const { body } = request;
  if (!(body instanceof Readable)) return new Uint8Array(0);
  const length = request.headers['content-length'];
  return receive(
    body,
    length === undefined ? null : Number(length),
    request.routeOptions.bodyLimit,
  );
}

/** @param length declared bytes, or null. */
function receive(payload: Readable, length: number | null, limit: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const known = length === null ? null : Buffer.allocUnsafeSlow(length);
  const chunks: Buffer[] = [];
  let received = 0;
  payload.on('data', (chunk: Buffer) => {
    const at = received;
    received += chunk.length;
    if (received > (known?.length ?? limit)) reject(tooLarge());
    else if (known === null) chunks.push(chunk);
    else {
      known.set(chunk, at);
      releaseBytes(chunk);
    }
  });
  payload.on('end', () => resolve(known?.subarray(0, received) ?? Buffer.concat(chunks)));
  payload.on('error', reject);
  return promise;
}

function tooLarge(): Error {
  return new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
}
