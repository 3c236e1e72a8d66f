import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  askAssistant,
  MAX_PROBLEMS,
  type Operation,
  operations,
  signIn,
} from '@gatehouse/contract';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { compileExplain, type SchemaError } from './explain.ts';
import { compileCheck } from './validation.ts';

/** Returns the errors in a canonical order, without the additional error that TypeBox reports for each unknown member. */
const summarise = (errors: readonly SchemaError[]) =>
  errors
    .filter(({ keyword }) => keyword !== 'boolean')
    .map(({ keyword, instancePath, schemaPath, params }) =>
      JSON.stringify({ keyword, instancePath, schemaPath, params }),
    )
    .sort();

const anyValue = fc.jsonValue({ maxDepth: 2 });
const part = fc.oneof(
  fc.constant({ type: 'text', text: 'Hello?' }),
  fc.record({ type: anyValue, text: anyValue }, { requiredKeys: [] }),
  anyValue,
);
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'nobody'), parts: fc.array(part), id: anyValue }),
  fc.record({ role: anyValue, parts: anyValue }, { requiredKeys: [] }),
  anyValue,
);

test('reports the same errors for random bodies as a validator compiled from the whole schema', () => {
  const explain = compileExplain(askAssistant.body);
  const whole = Compile(askAssistant.body);
  const body = fc.record(
    {
      messages: fc.oneof(fc.array(message), anyValue),
      id: anyValue,
      trigger: anyValue,
      other: anyValue,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(body, anyValue), (value) => {
      const errors = whole.Errors(value);
      if (errors.length < MAX_PROBLEMS)
        assert.deepEqual(summarise(explain(value)), summarise(errors));
    }),
  );
});

test('reports the same errors as the validator for the body schemas of all operations', () => {
  for (const { id, body: schema, bodyExample } of operations as readonly Operation[]) {
    if (schema === undefined) continue;
    const [explain, whole] = [compileExplain(schema), Compile(schema)];
    const example = Object.entries(Object(bodyExample));
    const values = fc.oneof(
      anyValue,
      fc
        .tuple(fc.nat(), anyValue, fc.dictionary(fc.string(), anyValue))
        .map(([at, value, more]) => {
          const members = [...example];
          const spoilt = members[at % Math.max(1, members.length)];
          if (spoilt !== undefined) spoilt[1] = value;
          return { ...Object.fromEntries(members), ...more };
        }),
    );
    fc.assert(
      fc.property(values, (value) => {
        const errors = whole.Errors(value);
        const isLong = errors.some(({ keyword }) => keyword === 'maxItems');
        if (!isLong && errors.length < MAX_PROBLEMS)
          assert.deepEqual(summarise(explain(value)), summarise(errors), id);
      }),
      { numRuns: 50 },
    );
  }
});

test('reports every unknown member in addition to all other errors', () => {
  const names = Array.from({ length: 20 }, (_, n) => `unknown${n}`);
  const value = { email: 7, ...Object.fromEntries(names.map((name) => [name, 1])) };
  const checked = compileCheck(signIn.body)(value);
  const issues = checked.ok ? [] : checked.issues.map(({ message: text }) => text);
  assert.deepEqual(issues.slice(0, 2), ['password: is required', 'email: must be a string']);
  for (const name of names) assert.ok(issues.some((issue) => issue.startsWith(`${name}: unknown`)));
});

test('reports a list that is too long without examining elements beyond the limit', () => {
  const element = {
    get role(): string {
      throw new Error('element was examined');
    },
  };
  const messages = [...Array(2000).fill({ role: 'user', parts: [] }), ...Array(1000).fill(element)];
  const [error, ...rest] = compileExplain(askAssistant.body)({ messages });
  assert.deepEqual([error?.keyword, error?.instancePath, rest], ['maxItems', '/messages', []]);
});

test('reports at most one error more than a response lists', () => {
  const checked = compileCheck(askAssistant.body)({ messages: Array(2000).fill(1) });
  assert.equal(checked.ok ? 0 : checked.issues.length, MAX_PROBLEMS);
});
