import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@gatehouse/contract';
import { PREFIX } from './attribute-headers.rules.ts';
import { readBatch, readEventArray, readOneEvent } from './batch.rules.ts';
import { REQUIRED, readBinaryEvent } from './binary-event.rules.ts';
import { isJson, isUtf8, parseMediaType } from './media-type.rules.ts';
import type { IngestBatch } from './read-event.rules.ts';

/** What a request says about its body. */
export interface Head {
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
}

/** Reads a body into events; throws `ApiError` 400 when the request as a whole is refused. */
export type IngestFormat = (body: Uint8Array, head: Head) => IngestBatch;

const OWN = 'application/json';
const BATCH = 'application/cloudevents-batch+json';
const ONE = 'application/cloudevents+json';
/** Of CloudEvents in all its formats and modes but binary. */
const CLOUD_EVENTS = 'application/cloudevents';

const binary: IngestFormat = (body, { rawHeaders, headers }) =>
  readBinaryEvent({ rawHeaders, contentType: headers['content-type'], body });

/**
 * Chooses the format by the content type, or the headers of CloudEvents' binary mode. JSON with all
 * four required attributes in headers is binary; with fewer it is our own batch.
 *
 * @throws ApiError 415 `http.media-type-unsupported`.
 */
export function chooseFormat(headers: IncomingHttpHeaders): IngestFormat {
  const contentType = headers['content-type'];
  if (contentType === OWN && headers['ce-id'] === undefined) return readBatch;
  if (contentType === undefined) {
    if (hasAttributes(headers)) return binary;
    if (!hasBody(headers)) return readBatch;
    throw unsupported();
  }
  const type = parseMediaType(contentType);
  if (type === null || (isJson(type) && !isUtf8(type))) throw unsupported();
  switch (type.essence) {
    case BATCH:
      return readEventArray;
    case ONE:
      return readOneEvent;
    case OWN:
      return REQUIRED.every((name) => headers[PREFIX + name] !== undefined) ? binary : readBatch;
    default:
      if (type.essence.startsWith(CLOUD_EVENTS) || !hasAttributes(headers)) throw unsupported();
      return binary;
  }
}

function hasAttributes(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (name.startsWith(PREFIX)) return true;
  return false;
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function unsupported(): ApiError {
  return new ApiError({
    status: 415,
    code: 'http.media-type-unsupported',
    message: `The content type is not understood here; send ${OWN}, ${BATCH} or ${ONE} in UTF-8, or any other type with the ce- headers of CloudEvents' binary mode.`,
    headers: { accept: `${OWN}, ${BATCH}, ${ONE}` },
  });
}
