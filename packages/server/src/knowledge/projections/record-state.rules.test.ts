import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { toDefinition } from './definition.rules.ts';
import {
  changeOf,
  EMPTY_STATE,
  MAX_HISTORY,
  merge,
  type RecordChange,
  type RecordState,
} from './record-state.rules.ts';

const FIELDS = ['status', 'carrier', 'constructor'];

/** Changes of one record. Several changes often have the same time. */
const changes = fc
  .array(
    fc.record({
      time: fc.integer({ min: 0, max: 12 }),
      isDeletion: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
      values: fc.dictionary(fc.constantFrom(...FIELDS), fc.constantFrom('a', 'b', 1, null)),
    }),
    { maxLength: 60 },
  )
  .map((members) =>
    members.map(({ time, isDeletion, values }, index): RecordChange => {
      const event = {
        time,
        position: index + 1,
        id: `${index}`,
        source: '/s',
        type: 't',
        subject: null,
      };
      return { key: 'k', isDeletion, event, values };
    }),
  );

/** A sender may repeat events, and each redelivery may arrive at any time. */
const delivered = changes.chain((sent) =>
  fc.record({
    sent: fc.constant(sent),
    arrived: fc
      .array(fc.constantFrom(...(sent.length === 0 ? [null] : sent)), { maxLength: 40 })
      .chain((again) => {
        const all = [...sent, ...again.filter((change) => change !== null)];
        return fc.shuffledSubarray(all, { minLength: all.length });
      }),
  }),
);

/** Applies the sorted changes one after the other, as a program would do that sees each event once and in order. */
function foldOverSorted(sent: readonly RecordChange[]): {
  fields: Record<string, unknown>;
  positions: number[];
} {
  let fields: Record<string, unknown> = {};
  let positions: number[] = [];
  const sorted = sent.toSorted(
    (one, other) => one.event.time - other.event.time || one.event.position - other.event.position,
  );
  for (const { isDeletion, event, values } of sorted)
    if (isDeletion) [fields, positions] = [{}, []];
    else {
      fields = { ...fields, ...values };
      positions.push(event.position);
    }
  return { fields, positions: positions.slice(-MAX_HISTORY) };
}

function shownOf({ fields, history }: RecordState) {
  return {
    fields: Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
    positions: history.map(({ event }) => event.position),
  };
}

test('late, repeated and out-of-order events give the same record as a fold over the sorted log', (t) => {
  t.diagnostic(`seed ${SEED}`);
  fc.assert(
    fc.property(delivered, ({ sent, arrived }) => {
      assert.deepEqual(shownOf(arrived.reduce(merge, EMPTY_STATE)), foldOverSorted(sent));
    }),
    { numRuns: roundsOf(100, 500), seed: SEED },
  );
});

test('events with times after their receipt give the same record as a fold over the log sorted by the earlier of both times', (t) => {
  t.diagnostic(`seed ${SEED}`);
  const times = fc.integer({ min: 0, max: 12 });
  const sent = fc.array(fc.tuple(times, times, fc.constantFrom('a', 'b', 'c')), { maxLength: 40 });
  const definition = toDefinition({
    name: 'Order',
    types: ['t'],
    key: 'subject',
    fields: { status: '/status' },
    title: '{key}',
    text: '{status}',
    metadata: {},
  });
  fc.assert(
    fc.property(
      sent.chain((events) => {
        const stored = events.map(([time, receivedAt, status], index) => ({
          position: index + 1,
          receivedAt,
          text: JSON.stringify({
            ...{ id: `${index}`, source: '/s', type: 't', subject: 'k' },
            ...{ time: new Date(time).toISOString(), data: { status } },
          }),
        }));
        const inAnyOrder = fc.shuffledSubarray(stored, { minLength: stored.length });
        return fc.tuple(fc.constant(events), inAnyOrder);
      }),
      ([events, arrived]) => {
        const state = arrived
          .map((event) => changeOf(definition, event))
          .filter((change) => change !== null)
          .reduce(merge, EMPTY_STATE);
        const last = events
          .map(([time, receivedAt, status], index) => ({
            time: Math.min(time, receivedAt),
            index,
            status,
          }))
          .toSorted((one, other) => one.time - other.time || one.index - other.index)
          .at(-1);
        assert.equal(state.fields['status']?.value, last?.status);
      },
    ),
    { numRuns: 300, seed: SEED },
  );
});

const keyIn = (data: string, key = '/id') =>
  changeOf(
    toDefinition({
      ...{ name: 'Order', types: ['t'], key, fields: { status: '/status' } },
      ...{ title: '{key}', text: '{status}', metadata: {} },
    }),
    { position: 1, receivedAt: 0, text: `{"id":"1","source":"/s","type":"t","data":${data}}` },
  )?.key;

test('numbers beyond 2^53 identify different records', () => {
  assert.equal(keyIn('{"id":1234567890123456781}'), '1234567890123456781');
  assert.equal(keyIn('{"id":1234567890123456782}'), '1234567890123456782');
  assert.equal(keyIn('{"id":-9007199254740993}'), '-9007199254740993');
  assert.equal(keyIn('{"id":1e400}'), '1e400');
  assert.equal(keyIn(`{"id":${'1'.repeat(501)}}`), undefined);
});

test('the key of a number does not depend on its notation', () => {
  for (const text of ['42', '42.0', '4.2e1', '"42"']) assert.equal(keyIn(`{"id":${text}}`), '42');
  for (const text of ['9007199254740993', '9007199254740993.0', '"9007199254740993"'])
    assert.equal(keyIn(`{"id":${text}}`), '9007199254740993');
  assert.equal(keyIn('{"id":0.10}'), '0.1');
  assert.equal(keyIn('{"id":9007199254740992}'), '9007199254740992');
});

test('a large number is found at any JSON pointer', () => {
  const id = '9007199254740993';
  assert.equal(keyIn(`{"a":[0, {"b/c~":[ ${id} ]}], "z":1}`, '/a/1/b~1c~0/0'), id);
  assert.equal(keyIn(`{ "é": 1, "\\u0069d" : ${id} }`), id);
  assert.equal(keyIn(`{"id":9007199254740995,"id":${id}}`), id);
});

test('a leap second counts as the second before it', () => {
  const definition = toDefinition({
    ...{ name: 'Order', types: ['t'], key: 'subject', fields: { status: '/status' } },
    ...{ title: '{key}', text: '{status}', metadata: {} },
  });
  for (const time of ['2016-12-31T23:59:60Z', '2017-01-01T00:59:60.5+01:00']) {
    const text = JSON.stringify({ id: '1', source: '/s', type: 't', subject: 'k', time });
    const change = changeOf(definition, { position: 1, receivedAt: Date.UTC(2026), text });
    assert.equal(Math.floor((change?.event.time ?? 0) / 1000), Date.UTC(2017) / 1000 - 1, time);
  }
});

test('a payload in data_base64 makes the same change as in data', () => {
  const definition = toDefinition({
    ...{ name: 'Order', types: ['t'], key: '/id', fields: { status: '/status' } },
    ...{ title: '{key}', text: '{status}', metadata: {} },
  });
  const changeBy = (member: string) => {
    const text = `{"id":"1","source":"/s","type":"t",${member}}`;
    return changeOf(definition, { position: 1, receivedAt: 0, text });
  };
  const encode = (data: string) => `"data_base64":"${Buffer.from(data).toString('base64')}"`;
  for (const data of ['{"id":"é","status":"paid"}', '{"status":null, "id":9007199254740993}']) {
    const change = changeBy(`"data":${data}`);
    assert.ok(change);
    assert.deepEqual(changeBy(encode(data)), change);
  }
  for (const member of [encode('{"id":'), '"data_base64":"/w=="', encode('['.repeat(100_000))])
    assert.equal(changeBy(member), null);
});

test('a field keeps the event that set it', () => {
  const change = (
    position: number,
    time: number,
    values: RecordChange['values'],
  ): RecordChange => ({
    key: 'k',
    isDeletion: false,
    event: { time, position, id: `e${position}`, source: '/s', type: 't', subject: null },
    values,
  });
  const state = [
    change(1, 30, { status: 'shipped' }),
    change(2, 10, { status: 'placed', customer: 'c1' }),
    change(3, 20, { status: 'paid' }),
  ].reduce(merge, EMPTY_STATE);
  assert.equal(state.fields['status']?.event.id, 'e1');
  assert.equal(state.fields['customer']?.event.id, 'e2');
  assert.deepEqual(
    state.history.map(({ event }) => event.id),
    ['e2', 'e3', 'e1'],
  );
});

test('a history stores no more of large values than a text can show', () => {
  const names = Array.from({ length: 50 }, (_, index) => `f${index}`);
  const state = Array.from({ length: MAX_HISTORY }, (_, index): RecordChange => {
    const values = Object.fromEntries(names.map((name) => [name, `${index}${'x'.repeat(3900)}`]));
    const event = { time: index, position: index + 1, id: `${index}`, source: '/s', type: 't' };
    return { key: 'k', isDeletion: false, event: { ...event, subject: null }, values };
  }).reduce(merge, EMPTY_STATE);
  assert.equal(state.history.length, MAX_HISTORY);
  assert.ok(JSON.stringify(state.history).length < MAX_HISTORY * 10_000);
  assert.equal(JSON.stringify(state.fields['f49']?.value).length, 3904);
});
