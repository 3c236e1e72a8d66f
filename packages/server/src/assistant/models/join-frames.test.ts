import assert from 'node:assert/strict';
import { test } from 'node:test';
import { framesOf, streamOf } from '../../../tests/support/assistant/fake-model.ts';
import { seeded } from '../../../tests/support/seeded.ts';
import { FrameJoiner } from './join-frames.ts';

/** Returns the content of a stream: adjacent texts joined, and other events unchanged. */
function contentOf(stream: string): unknown[] {
  const items: unknown[] = [];
  for (const event of stream.split(/\r?\n\r?\n/)) {
    const data = event.replace(/^data: /, '');
    const value = data.startsWith('{') ? JSON.parse(data) : data;
    const { content, ...others } = value.choices?.[0]?.delta ?? {};
    const isText = typeof content === 'string' && Object.keys(others).length === 0;
    if (isText && typeof items.at(-1) === 'string') items.push(`${items.pop()}${content}`);
    else items.push(isText ? content : value);
  }
  return items;
}

/** Joins a stream that arrives in pieces. `ends` are the end offsets of the pieces. */
function join(stream: string, ends: readonly number[]): string {
  const bytes = Buffer.from(stream);
  const joiner = new FrameJoiner();
  const cuts = [0, ...ends, bytes.length];
  const joined = cuts.slice(1).flatMap((end, at) => {
    const piece = bytes.subarray(cuts[at], end);
    return piece.length === 0 ? [] : [joiner.join(piece)];
  });
  return Buffer.concat(joined).toString();
}

test('joins text events that arrive together into one event', () => {
  const joined = join(streamOf(['Grüße, ', '世', '界', ' 👩‍👩‍👧']), []);
  const [first = '', ...rest] = joined.split('\n\n');
  assert.equal(JSON.parse(first.slice(6)).choices[0].delta.content, 'Grüße, 世界 👩‍👩‍👧');
  assert.equal(rest.join('\n\n'), streamOf([]));
});

test('passes single and incomplete events on unchanged', () => {
  const [one, two] = [framesOf(['One']), framesOf(['Two'])];
  assert.equal(join(one + two, [one.length]), one + two);
  for (let cut = 1; cut < one.length; cut++)
    assert.equal(join(one + two, [cut]), one + two, `${cut}`);
});

test('preserves the content of a stream, wherever the stream is split and whatever other events it contains', () => {
  const frame = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
  const choice = (delta: object, more = {}) =>
    frame({ id: 'x', choices: [{ index: 0, delta, ...more }] });
  const others = [
    ': keep-alive\n\n',
    'event: ping\ndata: {}\n\n',
    choice({ reasoning_content: 'hm' }),
    choice({ content: 'x', refusal: 'no' }),
    choice({ content: [{ type: 'text', text: 'y' }] }),
    choice({ content: 'z' }, { finish_reason: 'stop' }),
    choice({ tool_calls: [{ index: 0 }] }),
    frame({ choices: [], usage: { prompt_tokens: 1 } }),
    frame({ error: { message: 'no' } }),
    frame({ choices: [{ delta: { content: 'a' } }, { delta: { content: 'b' } }] }),
  ];
  const random = seeded(3);
  for (let run = 0; run < 300; run++) {
    const parts = Array.from({ length: 20 }, () =>
      random.below(3) === 0 ? random.pick(others) : framesOf([random.pick(['é ', '世', 'a ', ''])]),
    );
    const stream = parts.join('').replaceAll('\n', random.pick(['\n', '\r\n']));
    const length = Buffer.byteLength(stream);
    const ends = Array.from({ length: random.below(6) }, () => random.below(length));
    const joined = join(
      stream,
      ends.toSorted((a, b) => a - b),
    );
    assert.deepEqual(contentOf(joined), contentOf(stream), stream);
  }
});
