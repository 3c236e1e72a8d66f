import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyCharacter } from '@gatehouse/filter/tests/any-character';
import fc from 'fast-check';
import { eventText } from '../event-sink.suite.ts';
import { toSinkEvent } from '../event-sink.ts';
import { subjectOf } from './subject.ts';

const subjectOfType = (type: string) =>
  subjectOf('events.{spaceId}.{type}.end', toSinkEvent('space', eventText({ type })));

test('a placeholder becomes one token that contains no NATS special characters', () => {
  assert.equal(subjectOfType('order.placed'), 'events.space.order%2Eplaced.end');
  assert.equal(subjectOfType('*'), 'events.space.%2A.end');
  assert.equal(subjectOfType('> a\u00a0é%'), 'events.space.%3E%20a%C2%A0%C3%A9%25.end');
  assert.equal(subjectOfType('{source}'), 'events.space.%7Bsource%7D.end');
});

test('for every event type, the subject has a bounded length and as many tokens as the template', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: anyCharacter, maxLength: 400 }), (type) => {
      const subject = subjectOfType(type);
      assert.match(subject, /^events\.space\.[\w%~-]+\.end$/);
      assert.ok(subject.length < 250);
    }),
  );
});

test('different event types have different subjects, even if the types are long', () => {
  const long = 'x'.repeat(5000);
  const subjects = ['a.b', 'a%2Eb', 'a_b', 'A.b', long, `${long}y`].map(subjectOfType);
  assert.equal(new Set(subjects).size, subjects.length);
});
