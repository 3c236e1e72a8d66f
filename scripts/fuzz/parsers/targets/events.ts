import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../../../packages/contract/src/index.ts';
import { chooseFormat } from '../../../../packages/server/src/ingest/formats/choose-format.ts';
import { packEvents } from '../../../../packages/server/src/ingest/formats/pack.rules.ts';
import type {
  IngestBatch,
  ValidEvent,
} from '../../../../packages/server/src/ingest/formats/read-event.rules.ts';
import { errorOf, type Target } from '../target.ts';

const EVENT = '"specversion":"1.0","id":"1","source":"urn:a","type":"a.b"';
/** Characters that the HTTP parser of Node rejects in a header. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/g;

/** The events of a request. An input consists of header lines, an empty line and the body. */
export const events: Target = {
  name: 'events',
  sources: ['/ingest/formats/', '/ingest/validation/', '/lib/json/'],
  seeds: [
    `content-type: application/json\n\n{"events":[{${EVENT}}],"auth":{"apiKey":"k"}}`,
    `content-type: application/json\n\n{"events":[{${EVENT},"auth":{"signature":"v1,AA==","timestamp":"0"},"data":{"a":[1.5e3,"\\u00e9"]}}]}`,
    `content-type: application/cloudevents+json\n\n{${EVENT},"time":"2026-03-04T05:06:07.5+01:00","dataschema":"urn:b","subject":"c","ext":true}`,
    `content-type: application/cloudevents-batch+json; charset=utf-8\n\n[{${EVENT},"data_base64":"TWE=","datacontenttype":"image/png"},{${EVENT},"data":"x"}]`,
    `content-type: text/plain\nce-specversion: 1.0\nce-id: 1\nce-source: /a\nce-type: a.b\nce-ext: Euro%20%E2%82%AC\n\ntext`,
    `content-type: application/json\nce-specversion: 1.0\nce-id: 1\nce-source: /a\nce-type: a.b\nce-time: 2026-03-04T05:06:07Z\n\n{"a":1}`,
  ],
  words: [
    '"auth":',
    '"data":',
    '"data_base64":',
    '"events":',
    '"metadata":',
    '"time":"2016-12-31T23:59:60Z"',
    '"source":"//[::1"',
    '"\\ud800"',
    '"\\u0000"',
    '\\u0069d',
    '__proto__',
    ', ',
    '\nce-',
    '%ED%A0%80',
    '[[[[',
    '{}',
    'null',
  ],
  check(input) {
    const { headers, rawHeaders, body } = requestOf(input);
    let batch: IngestBatch | undefined;
    const error = errorOf(ApiError, () => {
      batch = chooseFormat(headers)(body, { headers, rawHeaders });
    });
    if (batch === undefined) assert.ok([400, 413, 415].includes(error?.status ?? 0), `${error}`);
    else checkBatch(batch);
  },
};

function requestOf(input: Buffer) {
  const at = input.indexOf('\n\n');
  const body = at === -1 ? Buffer.alloc(0) : Buffer.from(input.subarray(at + 2));
  const rawHeaders: string[] = [];
  const headers: IncomingHttpHeaders = { 'content-length': String(body.length) };
  for (const line of input.toString('latin1', 0, at === -1 ? undefined : at).split('\n')) {
    const [name = '', ...rest] = line.split(':');
    if (!/^[\w-]+$/.test(name) || name === '__proto__') continue;
    const value = rest.join(':').replace(NOT_IN_HEADERS, '').trim();
    rawHeaders.push(name, value);
    headers[name.toLowerCase()] ??= value;
  }
  return { headers, rawHeaders, body };
}

function checkBatch({ bytes, events: read }: IngestBatch): void {
  const accepted: ValidEvent[] = [];
  for (const [index, event] of read.entries()) {
    assert.equal(event.index, index);
    assert.equal(event.valid, event.problems.length === 0);
    if (event.valid) accepted.push(event);
  }
  const { texts, ends } = packEvents(bytes, accepted);
  let start = 0;
  for (const [index, { id, source, type }] of accepted.entries()) {
    const end = ends[index] ?? assert.fail();
    const text = new TextDecoder('utf-8', { fatal: true }).decode(texts.subarray(start, end));
    const value = JSON.parse(text) as Record<string, unknown>;
    assert.deepEqual([value['id'], value['source'], value['type']], [id, source, type]);
    assert.ok(!Object.hasOwn(value, 'auth'), 'an event is stored with its credential');
    start = end;
  }
  assert.equal(start, texts.byteLength);
}
