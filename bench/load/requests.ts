import { randomBytes } from 'node:crypto';
import { uuidWriter } from './random-uuid.ts';

/** Makes the next request of a kind of load. The bytes may be reused when the answer has come. */
export type NextRequest = () => Buffer;

export interface RequestOptions {
  readonly path: string;
  readonly authorization: string;
}

function head({ path, authorization }: RequestOptions, length: number): string {
  const credential = authorization === '' ? '' : `authorization: ${authorization}\r\n`;
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${credential}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
}

/**
 * Batches of events with random UUIDs as ids, written into one buffer each time anew.
 *
 * @param duplicates the part of the events, 0 to 1, that are those of an earlier request.
 * @param subjects how many subjects the events of a batch have, up to 9000; one when it is not given.
 */
export function ingestRequests(
  options: RequestOptions,
  events: number,
  eventBytes: number,
  duplicates = 0,
  subjects = 1,
): NextRequest {
  const id = '00000000-0000-4000-8000-000000000000';
  const event = (filler: string, index = 0) =>
    `{"specversion":"1.0","id":"${id}","source":"https://shop.example.com/orders","type":"com.example.order.updated","time":"2026-10-18T09:30:00Z","subject":"order/${1000 + (index % subjects)}","data":{"order":1001,"lines":[{"sku":"LAMP-7","quantity":2,"price":24.95}],"paid":true,"note":"${filler}"}}`;
  // Random, so that no compression on the way makes the load lighter than real events would.
  const filler = () =>
    randomBytes(eventBytes)
      .toString('base64url')
      .slice(0, Math.max(0, eventBytes - event('').length));
  const body = `{"events":[${Array.from({ length: events }, (_, index) => event(filler(), index)).join(',')}]}`;
  const request = Buffer.from(head(options, body.length) + body);
  const places: number[] = [];
  for (let at = request.indexOf(id); at !== -1; at = request.indexOf(id, at + 1)) places.push(at);
  const writeUuid = uuidWriter();
  for (const place of places) writeUuid(request, place);
  let due = 0;
  let turn = 0;
  return () => {
    for (due += places.length * (1 - duplicates); due >= 1; due -= 1) {
      writeUuid(request, places[turn % places.length] ?? 0);
      turn += 1;
    }
    return request;
  };
}

/** The same body each time. */
export function repeatedRequest(options: RequestOptions, body: string): NextRequest {
  const request = Buffer.from(head(options, Buffer.byteLength(body)) + body);
  return () => request;
}

/** Each body in turn, from the beginning again after the last. */
export function cycledRequests(options: RequestOptions, bodies: readonly string[]): NextRequest {
  const requests = bodies.map((body) => Buffer.from(head(options, Buffer.byteLength(body)) + body));
  let next = 0;
  return () => {
    const request = requests[next % requests.length];
    next += 1;
    if (request === undefined) throw new Error('there is no body to send');
    return request;
  };
}
