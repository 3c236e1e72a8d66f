import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventTexts } from './event-texts.ts';

test('returns each event of a page exactly as it was received', () => {
  const events = [
    '{"id":"1", "data": 1.0}',
    '{"id":"}{\\"\\\\","data":{"a":[{}],"n":12345678901234567890}}',
    '{ }',
  ];
  const items = events.map((event) => `{"event":${event},"receivedAt":"2026-10-18T09:30:00.000Z"}`);
  assert.deepEqual(eventTexts(`{"items":[${items.join(',')}],"next":null,"resume":"MQ"}`), events);
  assert.deepEqual(eventTexts('{"items":[],"next":null,"resume":null}'), []);
});

test('reads an event with a text of a megabyte', () => {
  const event = JSON.stringify({ data: '\\"'.repeat(500_000) });
  const page = `{"items":[{"event":${event},"receivedAt":"x"}],"next":null,"resume":null}`;
  assert.deepEqual(eventTexts(page), [event]);
});
