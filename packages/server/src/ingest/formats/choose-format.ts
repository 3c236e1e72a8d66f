import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@gatehouse/contract';
import { PREFIX } from './attribute-headers.rules.ts';
import { readBatch, readEventArray, readOneEvent } from './batch.rules.ts';
import { REQUIRED, readBinaryEvent } from './binary-event.rules.ts';
import { isJson, isUtf8, parseMediaType } from './media-type.rules.ts';
import type { IngestBatch } from './read-event.rules.ts';

export interface Head {
  readonly headers: IncomingHttpHeaders;
  /** Alternating names and values, as in `IncomingMessage.rawHeaders`. */
  readonly rawHeaders: readonly string[];
}

/** Parses a body into events. Throws `ApiError` 400 if the whole request is rejected. */
export type IngestFormat = (body: Uint8Array, head: Head) => IngestBatch;

const OWN = 'application/json';
const BATCH = 'application/cloudevents-batch+json';
const ONE = 'application/cloudevents+json';
/** Prefix of the content types of structured and batched mode. */
const CLOUD_EVENTS = 'application/cloudevents';

const binary: IngestFormat = (body, { rawHeaders, headers }) =>
  readBinaryEvent({ rawHeaders, contentType: headers['content-type'], body });

const batch: IngestFormat = (body, { headers }) => readBatch(body, () => hasAttributes(headers));

/**
 * Returns the format for the content type and the `ce-` headers. `application/json` is binary mode if all four
 * required attributes are headers, otherwise a Gatehouse batch.
 *
 * @throws ApiError 415 `http.media-type-unsupported`.
 */
export function chooseFormat(headers: IncomingHttpHeaders): IngestFormat {
  const contentType = headers['content-type'];
  if (contentType === OWN && headers['ce-id'] === undefined) return batch;
  if (contentType === undefined) {
    if (hasAttributes(headers)) return binary;
    if (!hasBody(headers)) return batch;
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
      return REQUIRED.every((name) => headers[PREFIX + name] !== undefined) ? binary : batch;
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
    message: `The content type is not supported. Send ${OWN}, ${BATCH} or ${ONE} in UTF-8, or any other type with the ce- headers of CloudEvents binary mode.`,
    headers: { accept: `${OWN}, ${BATCH}, ${ONE}` },
  });
}
