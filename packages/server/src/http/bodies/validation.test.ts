import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Nullable, STORABLE_PATTERN } from '@gatehouse/contract';
import { Type } from 'typebox';
import { compileCheck } from './validation.ts';

const check = compileCheck(
  Type.Object({
    expiresAt: Type.Optional(Nullable(Type.String({ format: 'date-time' }))),
    maxAgeDays: Type.Optional(Nullable(Type.Integer({ minimum: 1 }))),
    prompt: Type.Optional(Nullable(Type.String({ minLength: 1, pattern: STORABLE_PATTERN }))),
    types: Type.Optional(Nullable(Type.Array(Type.String(), { minItems: 1 }))),
    day: Type.Optional(Type.String({ format: 'date' })),
  }),
);

function problems(value: unknown): readonly string[] {
  const checked = check(value);
  return checked.ok ? [] : checked.issues.map(({ message }) => message);
}

test('a nullable member of the right type gets the problem of its value', () => {
  assert.deepEqual(problems({ expiresAt: '2027-01-01' }), [
    'expiresAt: must be a time such as 2026-10-18T09:30:00Z (RFC 3339)',
  ]);
  assert.deepEqual(problems({ maxAgeDays: 0 }), ['maxAgeDays: must be at least 1']);
  assert.deepEqual(problems({ prompt: '' }), ['prompt: must not be empty']);
  assert.deepEqual(problems({ prompt: 'a\u0000' }), [
    'prompt: must not contain U+0000 or a lone surrogate',
  ]);
  assert.deepEqual(problems({ types: [] }), ['types: must have at least 1 item']);
  assert.deepEqual(problems({ types: [1] }), ['types[0]: must be a string']);
});

test('a nullable member of another type gets both permitted types', () => {
  assert.deepEqual(problems({ expiresAt: 1 }), ['expiresAt: must be a string or null']);
  assert.deepEqual(problems({ maxAgeDays: 'x' }), ['maxAgeDays: must be an integer or null']);
  assert.deepEqual(problems({ types: {} }), ['types: must be an array or null']);
  assert.deepEqual(problems({ expiresAt: null, maxAgeDays: null, prompt: null, types: null }), []);
});

test('the problem of a date contains an example', () => {
  assert.deepEqual(problems({ day: '28.11.2026' }), ['day: must be a date such as 2026-10-18']);
});

test('a union of objects gets the required members of each object', () => {
  const source = compileCheck(
    Type.Object({
      dept: Type.Union([
        Type.Object({ field: Type.String() }, { additionalProperties: false }),
        Type.Object({ value: Type.Unknown() }, { additionalProperties: false }),
      ]),
    }),
  );
  for (const dept of [{ fields: 'x' }, 'sales', { field: 'x', value: 1 }]) {
    const checked = source({ dept });
    assert.deepEqual(checked.ok ? [] : checked.issues, [
      { message: 'dept: must be an object with `field` or an object with `value`' },
    ]);
  }
});

test('members of an object inside nullable objects are named, with the nearest known name', () => {
  const Hours = Type.Object({ from: Type.String() }, { additionalProperties: false });
  const Handoff = Type.Object(
    { hours: Type.Optional(Nullable(Type.Object({ periods: Type.Array(Hours) }))) },
    { additionalProperties: false },
  );
  const handoff = compileCheck(Type.Object({ handoff: Nullable(Handoff) }));
  const issues = (value: unknown) => {
    const checked = handoff({ handoff: value });
    return checked.ok ? [] : checked.issues.map(({ message }) => message);
  };
  assert.deepEqual(issues({ hour: null }), ['handoff.hour: unknown member (did you mean hours?)']);
  assert.deepEqual(issues({ hours: {} }), ['handoff.hours.periods: is required']);
  assert.deepEqual(issues({ hours: { periods: [{ form: '09:00' }] } }), [
    'handoff.hours.periods[0].from: is required',
    'handoff.hours.periods[0].form: unknown member (did you mean from?)',
  ]);
});
