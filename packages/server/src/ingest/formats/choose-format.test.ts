import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { type WrittenEvent, writtenEvent } from '../event-arbitraries.ts';
import { readBatch, readEventArray, readOneEvent } from './batch.rules.ts';
import { readBinaryEvent } from './binary-event.rules.ts';
import { packEvents } from './pack.rules.ts';
import type { IngestBatch, ReadEvent, ValidEvent } from './read-event.rules.ts';
import { type Verdict, validateOwn, validateStandard } from './reference-validator.suite.ts';

const RUNS = roundsOf(200, 30_000);

const events = fc.array(writtenEvent, { minLength: 1, maxLength: 3 });
const list = (all: readonly WrittenEvent[]) => `[${all.map(({ text }) => text).join(' , ')}]`;

function wrongMembers({ problems }: ReadEvent): Verdict {
  return new Set(problems.map((problem) => memberOf(problem)));
}

function memberOf(problem: string): string {
  const shown = problem.slice(0, problem.search(/: (?:is|must|may|unknown)/));
  const top = shown.startsWith('"') ? shown : (shown.split('.')[0] ?? '');
  return top.startsWith('"') ? named(top) : top;
}

function named(shown: string): string {
  return JSON.parse(
    shown.replace(/\\u\{(\w+)\}/g, (_, code: string) => `\\u${code.padStart(4, '0')}`),
  );
}

function assertAgrees(
  batch: IngestBatch,
  written: readonly WrittenEvent[],
  validate: (event: WrittenEvent) => Verdict,
): void {
  for (const [index, event] of batch.events.entries()) {
    const { text, members } = written[index] as WrittenEvent;
    const expected = validate(written[index] as WrittenEvent);
    assert.deepEqual(wrongMembers(event), expected, `${text}\n${event.problems.join('\n')}`);
    assert.equal(event.valid, expected.size === 0, text);
    if (event.valid) assertKept(batch.bytes, event, text, members);
  }
}

function assertKept(
  bytes: Uint8Array,
  event: ValidEvent,
  text: string,
  members: WrittenEvent['members'],
): void {
  const kept = Buffer.from(packEvents(bytes, [event]).texts).toString();
  const rest = members.filter(({ name }) => name !== 'auth');
  if (rest.length === members.length) assert.equal(kept, text.toWellFormed());
  const expected = `{${rest.map((one) => `${one.nameText}:${one.valueText}`).join()}}`;
  assert.equal(JSON.stringify(JSON.parse(kept)), JSON.stringify(JSON.parse(expected)), text);
  const value = JSON.parse(text) as Record<string, unknown>;
  assert.deepEqual([event.id, event.source], [value['id'], value['source']]);
}

test('the Gatehouse format accepts the same events as the reference implementation', () => {
  fc.assert(
    fc.property(events, (written) => {
      const body = Buffer.from(`{"events":${list(written)}}`);
      assertAgrees(readBatch(body), written, validateOwn);
    }),
    { numRuns: RUNS },
  );
});

test('the batched and structured formats accept the same events as the reference implementation', () => {
  fc.assert(
    fc.property(events, (written) => {
      assertAgrees(readEventArray(Buffer.from(list(written))), written, validateStandard);
      const [first] = written as [WrittenEvent];
      assertAgrees(readOneEvent(Buffer.from(first.text)), [first], validateStandard);
    }),
    { numRuns: RUNS },
  );
});

const REQUIRED = ['specversion', 'id', 'source', 'type'];

test('an event in binary mode is validated and stored like the same event in structured mode', () => {
  fc.assert(
    fc.property(writtenEvent, fc.jsonValue(), ({ members }, data) => {
      const attributes = new Map(
        members
          .filter(({ name, valueText }) => /^[a-z0-9]+$/.test(name) && valueText.startsWith('"'))
          .filter(({ name }) => !['data', 'auth', 'datacontenttype'].includes(name))
          .map(({ name, valueText }) => [name, String(JSON.parse(valueText)).toWellFormed()]),
      );
      const body = Buffer.from(JSON.stringify(data));
      const rawHeaders = [...attributes].flatMap(([name, value]) => [`Ce-${name}`, encoded(value)]);
      const read = () => readBinaryEvent({ rawHeaders, contentType: 'a/json', body });
      if (!REQUIRED.every((name) => attributes.has(name))) {
        assert.throws(read, { code: 'events.invalid' });
        return;
      }
      const whole = { ...Object.fromEntries(attributes), datacontenttype: 'a/json', data };
      const parts = Object.entries(whole).map(([name, value]) => ({
        name,
        nameText: JSON.stringify(name),
        valueText: JSON.stringify(value),
      }));
      assertAgrees(read(), [{ members: parts, text: JSON.stringify(whole) }], validateStandard);
    }),
    { numRuns: RUNS },
  );
});

/** Percent-encodes every byte of a header value (HTTP binding, section 3.1.3.2). */
function encoded(value: string): string {
  return Buffer.from(value).toString('hex').replace(/../g, '%$&');
}
