import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROTOCOL, readMessage, seal, TO_FRAME, TO_HOST, type ToFrame } from './messages.ts';

const INIT: ToFrame = {
  type: 'init',
  mode: 'panel',
  locale: null,
  context: { page: 'cart' },
  canRenew: true,
};
const fromPage = (data: unknown) => readMessage(data, TO_FRAME);
const fromFrame = (data: unknown) => readMessage(data, TO_HOST);

test('reads a message that was created with seal', () => {
  assert.deepEqual(fromPage(seal(INIT)), INIT);
  assert.deepEqual(fromFrame(seal({ type: 'ready' })), { type: 'ready' });
});

test('drops unknown members of a message', () => {
  assert.deepEqual(fromPage({ ...seal({ type: 'shown' }), extra: 1 }), { type: 'shown' });
});

test('rejects data that is not a message of this version', () => {
  for (const data of [
    null,
    undefined,
    'ready',
    [],
    { type: 'shown' },
    { type: 'shown', gatehouse: PROTOCOL + 1 },
    { type: 'shown', gatehouse: String(PROTOCOL) },
    { gatehouse: PROTOCOL },
    { type: 'toString', gatehouse: PROTOCOL },
    { type: ['shown'], gatehouse: PROTOCOL },
    { type: 'ready', gatehouse: PROTOCOL },
  ])
    assert.equal(fromPage(data), null, JSON.stringify(data));
});

test('rejects a message with a missing member or a member of the wrong type', () => {
  const invalid: object[] = [
    { mode: 'window' },
    { mode: undefined },
    { locale: 1 },
    { locale: undefined },
    { context: [] },
    { context: 'cart' },
    { canRenew: 'yes' },
  ];
  for (const members of invalid)
    assert.equal(fromPage({ ...seal(INIT), ...members }), null, JSON.stringify(members));
});

test('rejects an accent that is not a six-digit hexadecimal colour', () => {
  const look = seal({ type: 'look', title: 'Help', accent: '#ffd500', position: null });
  assert.notEqual(fromFrame(look), null);
  for (const accent of ['red', '#fff', '#ffd500;', 'url(x)', undefined])
    assert.equal(fromFrame({ ...look, accent }), null, String(accent));
});

test('accepts questions that the service accepts, and rejects other questions', () => {
  const ask = (text: unknown) => fromPage(seal({ type: 'ask', text: text as string, send: true }));
  for (const text of ['?', ' <b>Hi</b>\n', 'x'.repeat(4000)])
    assert.deepEqual(ask(text), { type: 'ask', text, send: true });
  for (const text of ['', ' \n', 'x'.repeat(4001), 'a\0b', 7, null, ['x'], undefined])
    assert.equal(ask(text), null, JSON.stringify(text));
  assert.equal(fromPage({ ...seal({ type: 'ask', text: 'x', send: true }), send: 1 }), null);
});

test('rejects a colour scheme other than light and dark', () => {
  const theme = seal({ type: 'theme', chosen: 'dark', page: null });
  assert.deepEqual(fromPage(theme), { type: 'theme', chosen: 'dark', page: null });
  for (const chosen of ['auto', '', 1, undefined])
    assert.equal(fromPage({ ...theme, chosen }), null, String(chosen));
});
