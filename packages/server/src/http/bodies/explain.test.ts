import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askAssistant, type Operation, operations, signIn } from '@gatehouse/contract';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { compileExplain, MAX_ISSUES, type SchemaError } from './explain.ts';
import { compileCheck } from './validation.ts';

/** What an error says and where, in any order; members that are unknown TypeBox reports once more, each by itself. */
const told = (errors: readonly SchemaError[]) =>
  errors
    .filter(({ keyword }) => keyword !== 'boolean')
    .map(({ keyword, instancePath, schemaPath, params }) =>
      JSON.stringify({ keyword, instancePath, schemaPath, params }),
    )
    .sort();

const wrong = fc.jsonValue({ maxDepth: 2 });
const part = fc.oneof(
  fc.constant({ type: 'text', text: 'Hello?' }),
  fc.record({ type: wrong, text: wrong }, { requiredKeys: [] }),
  wrong,
);
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'nobody'), parts: fc.array(part), id: wrong }),
  fc.record({ role: wrong, parts: wrong }, { requiredKeys: [] }),
  wrong,
);

test('faults are those that the validator of the whole schema reports', () => {
  const explain = compileExplain(askAssistant.body);
  const whole = Compile(askAssistant.body);
  const body = fc.record(
    { messages: fc.oneof(fc.array(message), wrong), id: wrong, trigger: wrong, other: wrong },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(body, wrong), (value) => {
      const errors = whole.Errors(value);
      if (errors.length < MAX_ISSUES) assert.deepEqual(told(explain(value)), told(errors));
    }),
  );
});

test('so it is for every body of the contract', () => {
  for (const { id, body: schema, bodyExample } of operations as readonly Operation[]) {
    if (schema === undefined) continue;
    const [explain, whole] = [compileExplain(schema), Compile(schema)];
    const example = Object.entries(Object(bodyExample));
    const values = fc.oneof(
      wrong,
      fc.tuple(fc.nat(), wrong, fc.dictionary(fc.string(), wrong)).map(([at, value, more]) => {
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
        if (!isLong) assert.deepEqual(told(explain(value)), told(errors), id);
      }),
      { numRuns: 50 },
    );
  }
});

test('each of many unknown members is named, and so is what else is wrong', () => {
  const names = Array.from({ length: 20 }, (_, n) => `unknown${n}`);
  const value = { email: 7, ...Object.fromEntries(names.map((name) => [name, 1])) };
  const checked = compileCheck(signIn.body)(value);
  const issues = checked.ok ? [] : checked.issues.map(({ message: text }) => text);
  assert.deepEqual(issues.slice(0, 2), ['password: is required', 'email: must be a string']);
  for (const name of names) assert.ok(issues.some((issue) => issue.startsWith(`${name}: unknown`)));
});

test('a list that is too long is said to be, and nobody looks beyond its end', () => {
  const element = {
    get role(): string {
      throw new Error('looked at');
    },
  };
  const messages = [...Array(2000).fill({ role: 'user', parts: [] }), ...Array(1000).fill(element)];
  const [error, ...rest] = compileExplain(askAssistant.body)({ messages });
  assert.deepEqual([error?.keyword, error?.instancePath, rest], ['maxItems', '/messages', []]);
});

test('of very many faults a hundred are told', () => {
  const checked = compileCheck(askAssistant.body)({ messages: Array(2000).fill(1) });
  assert.equal(checked.ok ? 0 : checked.issues.length, MAX_ISSUES);
});
