import { randomBytes, randomFillSync } from 'node:crypto';

/** Returns the next request. The buffer may be reused after the response. */
export type NextRequest = () => Buffer;

export interface RequestOptions {
  readonly path: string;
  readonly authorization: string;
}

const SOME_UUID = '00000000-0000-4000-8000-000000000000';

function head({ path, authorization }: RequestOptions, length: number, headers = ''): string {
  const credential = authorization === '' ? '' : `authorization: ${authorization}\r\n`;
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${credential}${headers}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
}

/**
 * Creates requests with batches of events that have random UUIDs. All requests are written into the same buffer.
 *
 * @param duplicates share of events that repeat an earlier request, from 0 to 1.
 * @param subjects number of subjects per batch, at most 9,000. Default 1.
 */
export function ingestRequests(
  options: RequestOptions,
  events: number,
  eventBytes: number,
  duplicates = 0,
  subjects = 1,
): NextRequest {
  const envelope = (list: string) => `{"events":${list}}`;
  return batchRequests(options, envelope, events, eventBytes, duplicates, subjects);
}

/** Creates requests like `ingestRequests` whose body is the array of events. */
export function arrayRequests(
  options: RequestOptions,
  events: number,
  eventBytes: number,
  duplicates = 0,
): NextRequest {
  return batchRequests(options, (list) => list, events, eventBytes, duplicates, 1);
}

function batchRequests(
  options: RequestOptions,
  envelope: (list: string) => string,
  events: number,
  eventBytes: number,
  duplicates: number,
  subjects: number,
): NextRequest {
  const event = (filler: string, index = 0) =>
    `{"specversion":"1.0","id":"${SOME_UUID}","source":"https://shop.example.com/orders","type":"com.example.order.updated","time":"2026-10-18T09:30:00Z","subject":"order/${1000 + (index % subjects)}","data":{"order":1001,"lines":[{"sku":"LAMP-7","quantity":2,"price":24.95}],"paid":true,"note":"${filler}"}}`;
  // Random data, so that compression does not make the load lighter than real events.
  const filler = () =>
    randomBytes(eventBytes)
      .toString('base64url')
      .slice(0, Math.max(0, eventBytes - event('').length));
  const list = Array.from({ length: events }, (_, index) => event(filler(), index));
  const body = envelope(`[${list.join(',')}]`);
  const request = Buffer.from(head(options, body.length) + body);
  const offsets: number[] = [];
  for (let at = request.indexOf(SOME_UUID); at !== -1; at = request.indexOf(SOME_UUID, at + 1))
    offsets.push(at);
  const writeUuid = uuidWriter();
  for (const offset of offsets) writeUuid(request, offset);
  let due = 0;
  let next = 0;
  return () => {
    for (due += offsets.length * (1 - duplicates); due >= 1; due -= 1) {
      writeUuid(request, offsets[next % offsets.length] ?? 0);
      next += 1;
    }
    return request;
  };
}

export function repeatedRequest(options: RequestOptions, body: string): NextRequest {
  const request = Buffer.from(head(options, Buffer.byteLength(body)) + body);
  return () => request;
}

/** Creates requests with the same body and a new `Idempotency-Key` each. All requests are written into the same buffer. */
export function keyedRequests(options: RequestOptions, body: string): NextRequest {
  const key = `idempotency-key: ${SOME_UUID}\r\n`;
  const request = Buffer.from(head(options, Buffer.byteLength(body), key) + body);
  const offset = request.indexOf(SOME_UUID);
  const writeUuid = uuidWriter();
  return () => {
    writeUuid(request, offset);
    return request;
  };
}

export function cycledRequests(options: RequestOptions, bodies: readonly string[]): NextRequest {
  const requests = bodies.map((body) => Buffer.from(head(options, Buffer.byteLength(body)) + body));
  let next = 0;
  return () => {
    const request = requests[next % requests.length];
    next += 1;
    if (request === undefined) throw new Error('bodies must not be empty');
    return request;
  };
}

const HEX = Buffer.from('0123456789abcdef', 'latin1');
const DASHES: ReadonlySet<number> = new Set([8, 13, 18, 23]);
const VERSION_AT = 14;
const VARIANT_AT = 19;
/** Offsets of the 32 hexadecimal digits in the text of a UUID. */
const DIGIT_OFFSETS = Uint8Array.from(
  Array.from({ length: 36 }, (_, offset) => offset).filter((offset) => !DASHES.has(offset)),
);
const POOL_BYTES = 65_536;

/**
 * Returns a function that writes random UUIDs (version 4) into a buffer. It takes a tenth of the CPU time of `randomUUID`, which also
 * creates a string. This leaves more CPU time for the measured service.
 */
function uuidWriter(): (target: Buffer, offset: number) => void {
  const pool = new Uint8Array(POOL_BYTES);
  let next = POOL_BYTES;
  return (target, offset) => {
    if (next + 16 > POOL_BYTES) {
      randomFillSync(pool);
      next = 0;
    }
    for (let digit = 0; digit < 32; digit += 2) {
      const byte = pool[next + (digit >> 1)] ?? 0;
      target[offset + (DIGIT_OFFSETS[digit] ?? 0)] = HEX[byte >> 4] ?? 0;
      target[offset + (DIGIT_OFFSETS[digit + 1] ?? 0)] = HEX[byte & 15] ?? 0;
    }
    next += 16;
    target[offset + VERSION_AT] = 0x34;
    target[offset + VARIANT_AT] = 0x61;
  };
}
