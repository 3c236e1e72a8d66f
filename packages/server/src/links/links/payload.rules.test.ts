import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composePayload } from './payload.rules.ts';

const SPACE = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
const compose = (json: string) => composePayload(Buffer.from(json), SPACE, 1234);

test('a payload has v, the given members, the space and the end, in this order', () => {
  const { payload, userInformation } = compose('{"sub":"a","ttlSeconds":60,"botId":7,"iss":"i"}');
  assert.equal(payload, `{"v":1,"sub":"a","botId":7,"iss":"i","spaceId":"${SPACE}","exp":1234}`);
  assert.equal(userInformation, null);
});

test('an empty request makes a payload of the space and the end', () => {
  assert.equal(compose(' { } ').payload, `{"v":1,"spaceId":"${SPACE}","exp":1234}`);
});

test('the space is the resolved one, whatever the request calls it', () => {
  const { payload } = compose(`{"spaceId":"${SPACE.toUpperCase()}"}`);
  assert.equal(payload, `{"v":1,"spaceId":"${SPACE}","exp":1234}`);
});

for (const exp of ['1792319400', '1792319400.50', '1.7923194E9', '1e300'])
  test(`exp stays ${exp} as it was given`, () => {
    assert.equal(compose(`{"exp":${exp}}`).payload, `{"v":1,"spaceId":"${SPACE}","exp":${exp}}`);
  });

test('members of free objects stay to the letter', () => {
  const context = '{ "n":12345678901234567890, "e":1e400, "__proto__":{"x":1}, "s":"\\u0000ü" }';
  const { payload } = compose(`{"context":${context}}`);
  assert.equal(payload, `{"v":1,"context":${context},"spaceId":"${SPACE}","exp":1234}`);
  assert.equal(({} as { x?: unknown }).x, undefined);
});

test('a name that is written with escapes is the name that it spells', () => {
  assert.equal(
    compose('{"\\u0073ub":"a"}').payload,
    `{"v":1,"sub":"a","spaceId":"${SPACE}","exp":1234}`,
  );
});

test('facts about the user are kept apart from the payload', () => {
  const { payload, userInformation } = compose('{"userInformation":{"name":"Ada","id":1e400}}');
  assert.equal(payload, `{"v":1,"spaceId":"${SPACE}","exp":1234}`);
  assert.equal(userInformation, '{"name":"Ada","id":1e400}');
});
