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

test('a sealed message is read as it was sent', () => {
  assert.deepEqual(fromPage(seal(INIT)), INIT);
  assert.deepEqual(fromFrame(seal({ type: 'ready' })), { type: 'ready' });
});

test('unknown members are dropped, so that later versions can add some', () => {
  assert.deepEqual(fromPage({ ...seal({ type: 'shown' }), extra: 1 }), { type: 'shown' });
});

test('messages of other senders and other versions are rejected', () => {
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

test('a message with a missing member or a member of the wrong type is rejected', () => {
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

test('an accent that is not a plain colour is rejected', () => {
  const look = seal({ type: 'look', title: 'Help', accent: '#ffd500', position: null });
  assert.notEqual(fromFrame(look), null);
  for (const accent of ['red', '#fff', '#ffd500;', 'url(x)', undefined])
    assert.equal(fromFrame({ ...look, accent }), null, String(accent));
});
