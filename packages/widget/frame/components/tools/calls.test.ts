import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsOf, inputText } from './calls.ts';

const CALL = { type: 'tool-input-available', toolCallId: '1', toolName: 'pay', input: { sum: 5 } };

test('a call is shown with its title and its last state', () => {
  const asked = { type: 'tool-approval-request', toolCallId: '1', approvalId: '1' };
  assert.deepEqual(callsOf([{ ...CALL, title: 'Pay' }, asked]), [
    { id: '1', name: 'Pay', input: { sum: 5 }, needsConsent: true, state: 'running' },
  ]);
  for (const [type, state] of [
    ['tool-output-available', 'done'],
    ['tool-output-error', 'failed'],
    ['tool-output-denied', 'denied'],
  ] as const)
    assert.equal(callsOf([CALL, { type, toolCallId: '1' }])[0]?.state, state);
  assert.deepEqual(callsOf([{ type: 'tool-output-denied', toolCallId: '2' }]), []);
});

test('a second part cannot change the arguments that the person has seen', () => {
  const [shown] = callsOf([CALL, { ...CALL, input: { sum: 500 } }]);
  assert.deepEqual(shown?.input, { sum: 5 });
});

test('invisible characters in arguments are escaped', () => {
  assert.equal(inputText({ to: 'a\u202eb\u200bc' }), '{\n  "to": "a\\u{202e}b\\u{200b}c"\n}');
});
