import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserPayload, composePayload } from './payload.rules.ts';

const SPACE = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
const compose = (json: string) => composePayload(Buffer.from(json), SPACE, 1234);

test('the payload contains v, the given members, spaceId and exp in this order', () => {
  const { payload, userInformation } = compose('{"sub":"a","ttlSeconds":60,"botId":7,"iss":"i"}');
  assert.equal(payload, `{"v":1,"sub":"a","botId":7,"iss":"i","spaceId":"${SPACE}","exp":1234}`);
  assert.equal(userInformation, null);
});

test('the payload of an empty request contains only v, spaceId and exp', () => {
  assert.equal(compose(' { } ').payload, `{"v":1,"spaceId":"${SPACE}","exp":1234}`);
});

test('the payload contains the resolved space ID instead of the text in the request', () => {
  const { payload } = compose(`{"spaceId":"${SPACE.toUpperCase()}"}`);
  assert.equal(payload, `{"v":1,"spaceId":"${SPACE}","exp":1234}`);
});

for (const exp of ['1792319400', '1792319400.50', '1.7923194E9', '1e300'])
  test(`the payload preserves the exact text of exp ${exp}`, () => {
    assert.equal(compose(`{"exp":${exp}}`).payload, `{"v":1,"spaceId":"${SPACE}","exp":${exp}}`);
  });

test('the payload preserves the exact text of objects with free members', () => {
  const context = '{ "n":12345678901234567890, "e":1e400, "__proto__":{"x":1}, "s":"\\u0000ü" }';
  const { payload } = compose(`{"context":${context}}`);
  assert.equal(payload, `{"v":1,"context":${context},"spaceId":"${SPACE}","exp":1234}`);
  assert.equal(({} as { x?: unknown }).x, undefined);
});

test('member names that are written with escapes are recognised', () => {
  assert.equal(
    compose('{"\\u0073ub":"a"}').payload,
    `{"v":1,"sub":"a","spaceId":"${SPACE}","exp":1234}`,
  );
});

test('userInformation is returned separately from the payload', () => {
  const { payload, userInformation } = compose('{"userInformation":{"name":"Ada","id":1e400}}');
  assert.equal(payload, `{"v":1,"spaceId":"${SPACE}","exp":1234}`);
  assert.equal(userInformation, '{"name":"Ada","id":1e400}');
});

test('the payload for a browser omits the members that only the server needs', () => {
  const { payload } = compose(
    '{"sub":"a","permissionFilter":{"x":1},"filter":{"filter":2},"context":{"sub":"b"},"widget":{"filter":"kept"},"systemPromptInsertion":"Hush","exp":1.50}',
  );
  assert.equal(
    browserPayload(payload),
    `{"v":1,"sub":"a","widget":{"filter":"kept"},"spaceId":"${SPACE}","exp":1.50}`,
  );
});
