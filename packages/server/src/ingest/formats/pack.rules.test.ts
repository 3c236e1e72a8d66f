import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { parse } from '../../lib/json/index.ts';
import { readBatch } from './batch.rules.ts';
import { packEvents } from './pack.rules.ts';
import type { ReadEvent, ValidEvent } from './read-event.rules.ts';

const MEMBERS = '"id":"1","source":"urn:shop","specversion":"1.0","type":"order.paid"';

const isValid = (event: ReadEvent): event is ValidEvent => event.valid;

function textsOf(body: Uint8Array): string[] {
  const { texts, ends } = packEvents(body, readBatch(body).events.filter(isValid));
  let start = 0;
  return [...ends].map((end) => {
    const text = Buffer.from(texts.subarray(start, end)).toString('utf8');
    start = end;
    return text;
  });
}

const textOf = (event: string) => textsOf(Buffer.from(`{"events":[${event}]}`))[0];

const exact = [
  '12345678901234567890',
  '1e400',
  '-0.0000',
  '{"a":1,"a":2}',
  '{"__proto__":{"x":1}}',
  '{ "a" :\t[ 1 ,\n2 ] }',
  '"\\u00e9\\/\\ud800é"',
  '{"auth":{"apiKey":"kept"}}',
  '"\\"auth\\":{}"',
];

for (const data of exact) {
  test(`stores the data ${JSON.stringify(data)} unchanged`, () => {
    const event = `{ ${MEMBERS},\n "data" : ${data} }`;
    assert.equal(textOf(event), event);
  });
}

const cuts: readonly (readonly [string, string])[] = [
  [`{"auth":{"apiKey":"k"},${MEMBERS}}`, `{${MEMBERS}}`],
  [`{${MEMBERS},"auth":{"apiKey":"k"}}`, `{${MEMBERS}}`],
  [`{${MEMBERS},"auth":{},"data":1}`, `{${MEMBERS},"data":1}`],
  [`{ "auth" : { } , ${MEMBERS} }`, `{  ${MEMBERS} }`],
  [`{ ${MEMBERS} , "auth" : { } }`, `{ ${MEMBERS}  }`],
  [`{${MEMBERS},"\\u0061u\\u0074h":{"apiKey":"}],\\""}}`, `{${MEMBERS}}`],
  [`{${MEMBERS},"data":"ü","auth":{"apiKey":"ü"},"x":"ü"}`, `{${MEMBERS},"data":"ü","x":"ü"}`],
];

for (const [sent, kept] of cuts) {
  test(`stores the event ${sent} as ${kept}`, () => assert.equal(textOf(sent), kept));
}

test('packs only the accepted events, in the given order', () => {
  const body = Buffer.from(
    `{"events":[{${MEMBERS},"n":0},{"bad":1},{${MEMBERS},"auth":{},"n":2}]}`,
  );
  assert.deepEqual(textsOf(body), [`{${MEMBERS},"n":0}`, `{${MEMBERS},"n":2}`]);
  assert.deepEqual(packEvents(body, []), { texts: new Uint8Array(0), ends: new Uint32Array(0) });
});

test('transferring the packed texts to another thread leaves the body intact', () => {
  const body = Buffer.from(`{"events":[{${MEMBERS}}]}`);
  const { texts, ends } = packEvents(body, readBatch(body).events.filter(isValid));
  assert.equal(texts.buffer.byteLength, texts.byteLength);
  structuredClone({ texts, ends }, { transfer: [texts.buffer, ends.buffer] });
  assert.equal(texts.byteLength, 0);
  assert.equal(body[0], 0x7b);
});

const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);
const authName = fc
  .tuple(
    ...[...'auth'].map((letter) =>
      fc.boolean().map((hidden) => (hidden ? escaped(letter) : letter)),
    ),
  )
  .map((letters) => `"${letters.join('')}"`);
const extension = fc.tuple(
  fc.stringMatching(/^ext[a-zäöü{}"\\,:[\]]{0,5}$/),
  fc.jsonValue({ depthSize: 'small' }).filter((value) => typeof value !== 'string'),
);

test('stores every event unchanged without its auth member, wherever that member occurs', () => {
  const credential = fc.record(
    { apiKey: fc.string(), signature: fc.string() },
    { requiredKeys: [] },
  );
  const anyEvent = fc.record({
    extensions: fc.uniqueArray(extension, { maxLength: 4, selector: ([name]) => name }),
    data: fc.jsonValue(),
    auth: credential,
    name: authName,
    place: fc.nat(),
    spaces: fc.array(space, { minLength: 4, maxLength: 4 }),
  });
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 4 }), (events) => {
      const whole: string[] = [];
      for (const { extensions, data, auth, name, place, spaces } of events) {
        const [a = '', b = '', c = '', d = ''] = spaces;
        const members = [...MEMBERS.split(',')];
        for (const [key, value] of [...extensions, ['data', data] as const]) {
          members.push(`${JSON.stringify(key)}${a}:${b}${JSON.stringify(value)}`);
        }
        members.splice(place % (members.length + 1), 0, `${name}${c}:${d}${JSON.stringify(auth)}`);
        whole.push(`{${a}${members.join(`${b},${c}`)}${d}}`);
      }
      const body = Buffer.from(`{"events":[${whole.join(' , ')}]}`);
      const kept = textsOf(body);
      assert.equal(kept.length, events.length);
      for (const [index, text] of kept.entries()) {
        const { auth: _, ...expected } = parse(whole[index] ?? '') as Record<string, unknown>;
        assert.deepEqual(parse(text), expected);
        const auth = readBatch(body).events[index]?.auth;
        assert.deepEqual(auth, JSON.parse(JSON.stringify(events[index]?.auth)));
        assertOneCut(whole[index] ?? '', text);
      }
    }),
    { numRuns: roundsOf(100, 500) },
  );
});

function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Asserts that `kept` is `sent` without one contiguous part that starts or ends with a comma. */
function assertOneCut(sent: string, kept: string): void {
  const length = sent.length - kept.length;
  for (let at = 0; at <= kept.length; at++) {
    const cut = sent.slice(at, at + length);
    if (sent.slice(0, at) + sent.slice(at + length) === kept && /^,.*[^,]$|^[^,].*,$/s.test(cut))
      return;
  }
  assert.fail(`${kept} is not ${sent} with one cut`);
}
