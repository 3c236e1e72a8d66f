import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '@gatehouse/contract';
import type { FastifyBaseLogger, FastifyError } from 'fastify';
import {
  type BusyWith,
  ReadsOverloaded,
  SerialisationFailure,
  StorageTooSlow,
  StorageUnavailable,
  TimeBudgetUsed,
} from '../lib/threads/index.ts';
import { secondsText, tooMany, unavailable } from './api-errors.ts';

const JSON_ONLY: readonly string[] = ['application/json'];

interface AcceptedBodies {
  readonly mediaTypes: readonly string[];
  /** Maximum size in bytes. */
  readonly limit: number;
}

/**
 * Converts an error to an `ApiError`. Returns `null` for an unexpected error. The response to an unexpected error must be a 500
 * without details.
 *
 * @param accepted the bodies that the operation of the request accepts.
 */
export function toApiError(error: unknown, accepted: AcceptedBodies): ApiError | null {
  if (error instanceof ApiError) return error;
  if (error instanceof ReadsOverloaded) return readsOverloaded(error);
  if (error instanceof TimeBudgetUsed) return timeBudgetUsed(error);
  if (error instanceof StorageUnavailable) return storageUnavailable(error);
  if (error instanceof SerialisationFailure)
    return storageUnavailable(new StorageUnavailable('overloaded'));
  if (error instanceof StorageTooSlow) return tooSlow();
  const code = (error as FastifyError | undefined)?.code;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge(accepted.limit);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedMediaType(accepted.mediaTypes);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return badRequest('The length of the body differs from its Content-Length.');
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_ROUTE_MISSING':
      return badRequest('The path is not valid percent-encoded UTF-8.');
    default:
      return null;
  }
}

/** @param limit maximum size of a body in bytes. */
export function bodyTooLarge(limit: number): ApiError {
  return new ApiError({
    status: 413,
    code: 'http.body-too-large',
    message: `The body exceeds the limit of ${limit} bytes; send less in one request.`,
  });
}

/** @param mediaTypes accepted media types. */
export function unsupportedMediaType(mediaTypes = JSON_ONLY): ApiError {
  return new ApiError({
    status: 415,
    code: 'http.media-type-unsupported',
    message: `This content type is not supported; send ${mediaTypes.join(' or ')} in UTF-8.`,
    headers: { accept: mediaTypes.join(', ') },
  });
}

export function unsupportedEncoding(): ApiError {
  return new ApiError({
    status: 415,
    code: 'http.encoding-unsupported',
    message: 'This content encoding is not supported; send an uncompressed body.',
    headers: { 'accept-encoding': 'identity' },
  });
}

export function badRequest(message: string): ApiError {
  return new ApiError({ status: 400, code: 'http.bad-request', message });
}

/** Returns the error for a client that disconnected while sending its request. The error appears only in the log. */
export function brokenOff(): ApiError {
  return badRequest('The connection ended before the request did.');
}

/** Returns the error for a client that disconnected before the response. The error appears only in the log. */
export function clientGone(): ApiError {
  return badRequest('The connection ended before the response was ready.');
}

/** Returns a 500 error that contains only the request ID. */
export function internalError(requestId: string): ApiError {
  return new ApiError({
    status: 500,
    code: 'http.internal',
    message: `An internal error occurred. The log contains its details under the request ID ${requestId}.`,
  });
}

/** Returns a 503 error with a long delay, because an immediate retry would fail again. */
function tooSlow(): ApiError {
  return unavailable(
    'http.too-slow',
    'The query takes too long; use fewer conditions in the filter, or `eq` and `in` on metadata.',
    60,
  );
}

const BUSY: Readonly<Record<BusyWith, string>> = {
  caller: 'Too many searches and reads of this caller are waiting; send fewer at a time.',
  space: 'Too many searches and reads of this space are waiting.',
  service: 'Too many searches and reads of other spaces are waiting.',
  loading: 'The documents of this space are still being loaded for search.',
};

function readsOverloaded({ busyWith }: ReadsOverloaded): ApiError {
  return unavailable(
    'http.overloaded',
    `${BUSY[busyWith]} Retry after the delay in Retry-After.`,
    2,
  );
}

/** Names of callers by the first word of `WorkOwner.caller`. */
const CALLERS: Readonly<Record<string, string>> = {
  link: 'access link',
  key: 'API key',
  user: 'user',
};

function timeBudgetUsed({ caller, waitMs }: TimeBudgetUsed): ApiError {
  const seconds = Math.ceil(waitMs / 1000);
  const kind = CALLERS[caller.split(' ', 1)[0] ?? ''] ?? 'caller';
  return tooMany(
    'http.time-budget-used',
    `The searches and reads of this ${kind} have used up their time budget. Try again in ${secondsText(seconds)}, with fewer searches at a time or simpler filters.`,
    seconds,
  );
}

function storageUnavailable({ reason }: StorageUnavailable): ApiError {
  return reason === 'overloaded'
    ? unavailable(
        'http.overloaded',
        'The write queue is full; this request had no effect. Retry after the delay in Retry-After.',
        1,
      )
    : unavailable(
        'http.storage-unavailable',
        'The storage is unavailable; retry after the delay in Retry-After.',
        5,
      );
}

interface BrokenHttpDeps {
  readonly nextId: () => string;
  /** Returns the response to the newest request of a connection. */
  readonly newestResponse: (socket: Socket) => ServerResponse | undefined;
  readonly log: Pick<FastifyBaseLogger, 'info'>;
}

/**
 * Returns a handler for invalid, slow or oversized HTTP requests. It responds with an error in the format of the contract, after the
 * responses to earlier requests, and closes the connection. If the client would take the error for a part of another response, the
 * handler only closes the connection. The log line contains the status and Node's error code, but no data of the request.
 */
export function brokenHttpHandler({ nextId, newestResponse, log }: BrokenHttpDeps) {
  const broken = new WeakSet<Socket>();

  function respond(reason: string | undefined, socket: Socket): void {
    if (!socket.writable) return;
    const requestId = nextId();
    const [status, code, message] = describe(reason);
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
    log.info({ requestId, status, reason }, 'invalid HTTP request');
  }

  return (error: Error & { code?: string }, socket: Socket): void => {
    const newest = newestResponse(socket);
    const isAnswered = newest?.writableFinished === true;
    // After a complete request, the next request is broken. Otherwise the body of the newest request is broken.
    const isNext = newest === undefined || newest.req.complete;
    const isInside = newest?.headersSent === true && !(isNext && isAnswered);
    if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET' || isInside)
      socket.destroy();
    else if (newest === undefined || isAnswered || !isNext) respond(error.code, socket);
    else if (!broken.has(socket)) newest.once('finish', () => respond(error.code, socket));
    broken.add(socket);
  };
}

function describe(code: string | undefined): [number, string, string] {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [
        408,
        'http.timeout',
        'The request did not arrive in time; send it again on a new connection.',
      ];
    case 'HPE_HEADER_OVERFLOW':
      return [
        431,
        'http.headers-too-large',
        'The request headers exceed the size limit; send fewer or shorter headers.',
      ];
    default:
      return [400, 'http.bad-request', 'This is not a valid HTTP/1.1 request.'];
  }
}
