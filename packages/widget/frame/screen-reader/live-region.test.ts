import assert from 'node:assert/strict';
import { test } from 'node:test';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { LiveRegion } from './live-region.ts';
import { SpeechQueue, SpokenLines } from './spoken-lines.ts';

const html = (speech: SpeechQueue) =>
  renderToString(h(LiveRegion, null, h(SpokenLines, { speech })));

test('renders each text as a separate line of a polite log, in order', () => {
  const speech = new SpeechQueue();
  assert.match(html(speech), /^<div [^>]*role="log" aria-live="polite"[^>]*><\/div>$/);
  speech.say(['One.', 'Two.']);
  speech.say([]);
  speech.say(['<b>']);
  assert.match(html(speech), />One\.<\/p><p[^>]*>Two\.<\/p><p[^>]*>&lt;b><\/p><\/div>$/);
});

test('a repeated text is added as a new line, so that screen readers announce the text again', () => {
  const speech = new SpeechQueue();
  speech.say(['Copied']);
  speech.say(['Copied']);
  const [first, second] = speech.lines.value;
  assert.notEqual(first?.id, second?.id);
});

test('removes old lines without changing the IDs of the remaining lines', () => {
  const speech = new SpeechQueue();
  for (let line = 0; line < 1_000; line++) speech.say([`Line ${line}.`]);
  const { value: lines } = speech.lines;
  assert.ok(lines.length <= 50);
  assert.equal(lines.at(-1)?.text, 'Line 999.');
  assert.equal(new Set(lines.map(({ id }) => id)).size, lines.length);
});
