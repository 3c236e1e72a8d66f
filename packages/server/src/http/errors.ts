import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, operations } from '@gatehouse/contract';
import type { FastifyBaseLogger, FastifyError } from 'fastify';
import { SerialisationFailure, StorageTooSlow, StorageUnavailable } from '../lib/threads/index.ts';

const JSON_ALONE: readonly string[] = ['application/json'];

/**
 * FairScheduler whatever was thrown into an error that the contract designs; null when it is none, and the
 * answer must be a 500 that says nothing.
 */
export function toApiError(error: unknown, mediaTypes = JSON_ALONE): ApiError | null {
  if (error instanceof ApiError) return error;
  if (error instanceof StorageUnavailable) return storageUnavailable(error);
  if (error instanceof SerialisationFailure)
    return storageUnavailable(new StorageUnavailable('overloaded'));
  if (error instanceof StorageTooSlow) return tooSlow();
  const code = (error as FastifyError | undefined)?.code;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge();
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType(mediaTypes);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return badRequest('The body is not as long as its Content-Length says.');
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_ROUTE_MISSING':
      return badRequest('The path is not valid percent-encoded UTF-8.');
    default:
      return null;
  }
}

export function bodyTooLarge(): ApiError {
  return new ApiError({
    status: 413,
    code: 'http.body-too-large',
    message: 'The body is larger than this route takes; send less in one request.',
  });
}

/** @param mediaTypes what the route takes. */
export function unsupportedMediaType(mediaTypes = JSON_ALONE): ApiError {
  return new ApiError({
    status: 415,
    code: 'http.media-type-unsupported',
    message: `The content type is not understood here; send ${mediaTypes.join(' or ')} in UTF-8.`,
    headers: { accept: mediaTypes.join(', ') },
  });
}

export function unsupportedEncoding(): ApiError {
  return new ApiError({
    status: 415,
    code: 'http.encoding-unsupported',
    message: 'The content encoding is not understood here; send the body uncompressed.',
    headers: { 'accept-encoding': 'identity' },
  });
}

export function badRequest(message: string): ApiError {
  return new ApiError({ status: 400, code: 'http.bad-request', message });
}

/** The client hung up; nobody hears this, but the log must not call it a fault of ours. */
export function brokenOff(): ApiError {
  return badRequest('The connection ended before the request did.');
}

/** As above, of a client that does not wait for its answer. */
export function clientGone(): ApiError {
  return badRequest('The connection ended before the answer was ready.');
}

/** A 500 says nothing but where to look in the log. */
export function internalError(requestId: string): ApiError {
  return new ApiError({
    status: 500,
    code: 'http.internal',
    message: `Something went wrong on our side. The log has it under request ${requestId}.`,
  });
}

/** Not what the client may try again at once, as the Retry-After says. */
function tooSlow(): ApiError {
  return new ApiError({
    status: 503,
    code: 'http.too-slow',
    message:
      'Looking through what is stored takes too long; use fewer conditions in the filter, or `eq` and `in` on metadata.',
    headers: { 'retry-after': '60' },
  });
}

function storageUnavailable(error: StorageUnavailable): ApiError {
  const overloaded = error.reason === 'overloaded';
  return new ApiError({
    status: 503,
    code: overloaded ? 'http.overloaded' : 'http.storage-unavailable',
    message: overloaded
      ? 'More is waiting for the disk than may wait; nothing of this request was kept, send it again.'
      : 'The storage cannot be used now; send it again later.',
    headers: { 'retry-after': overloaded ? '1' : '5' },
  });
}

const routes = operations.map((operation) => ({
  method: operation.method,
  pattern: new RegExp(`^${operation.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The answer for a path and method that no operation has: 405 with `Allow`, or 404. */
export function noSuchRoute(url: string): ApiError {
  const path = url.split('?', 1)[0] ?? '';
  const methods = routes.filter((route) => route.pattern.test(path)).map((route) => route.method);
  if (methods.length === 0)
    return new ApiError({
      status: 404,
      code: 'http.not-found',
      message: 'There is no such route; /docs lists the ones there are.',
    });
  const allow = [
    ...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
  ];
  return new ApiError({
    status: 405,
    code: 'http.method-not-allowed',
    message: `This route takes ${allow.join(', ')}.`,
    headers: { allow: allow.join(', ') },
  });
}

interface BrokenHttpDeps {
  readonly nextId: () => string;
  readonly log: Pick<FastifyBaseLogger, 'info'>;
}

/**
 * Answers a request that is not HTTP at all, too slow, or too long, in the contract's form, and hangs
 * up. Its line in the log has the status and Node's code, and nothing of what was sent.
 */
export function answerToBrokenHttp({ nextId, log }: BrokenHttpDeps) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const requestId = nextId();
    const [status, code, message] = describe(error.code);
    const body = JSON.stringify({ message, code });
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'X-Content-Type-Options: nosniff',
      'Cache-Control: no-store',
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
    log.info({ requestId, status, reason: error.code }, 'broken request');
  };
}

function describe(code: string | undefined): [number, string, string] {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, 'http.timeout', 'The request did not arrive in time.'];
    case 'HPE_HEADER_OVERFLOW':
      return [431, 'http.headers-too-large', 'The headers are too large.'];
    default:
      return [400, 'http.bad-request', 'This is not a valid HTTP/1.1 request.'];
  }
}
