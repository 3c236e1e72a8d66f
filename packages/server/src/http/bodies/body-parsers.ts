import type { Readable } from 'node:stream';
import type { ApiError } from '@gatehouse/contract';
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify';
import { unsupportedEncoding, unsupportedMediaType } from '../errors.ts';

/** Accepts only uncompressed JSON bodies in UTF-8 and passes them on as bytes. Rejects all other bodies with 415. */
export function takeJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const fault = faultOf(request);
    done(fault === null || judgesItsBodies(request) ? null : fault);
  });
}

/** Configuration of routes that check content types and encodings themselves. */
export const JUDGES_ITS_BODIES = { judgesItsBodies: true } as const;

function judgesItsBodies({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as Partial<typeof JUDGES_ITS_BODIES>).judgesItsBodies === true;
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
 * Accepts `multipart/form-data` bodies on the routes of this Fastify plugin and passes them on as bytes. If a request has a
 * `Content-Length`, the chunks of its body are written directly to a buffer of that size. Fastify's own parser would hold
 * every body in memory twice: as chunks and as the joined buffer.
 */
export function takeMultipartBodies(app: FastifyInstance): void {
  app.addContentTypeParser('multipart/form-data', (request: FastifyRequest, payload: Readable) => {
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    return receive(payload, length, request.routeOptions.bodyLimit);
  });
}

/** @param length declared bytes, or NaN. */
function receive(payload: Readable, length: number, limit: number): Promise<Buffer> {
  if (length > limit) return Promise.reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const known = Number.isNaN(length) ? null : Buffer.allocUnsafeSlow(length);
  const chunks: Buffer[] = [];
  let received = 0;
  payload.on('data', (chunk: Buffer) => {
    const at = received;
    received += chunk.length;
    if (received > (known?.length ?? limit)) reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
    else if (known === null) chunks.push(chunk);
    else known.set(chunk, at);
  });
  payload.on('end', () => resolve(known?.subarray(0, received) ?? Buffer.concat(chunks)));
  payload.on('error', reject);
  return promise;
}
