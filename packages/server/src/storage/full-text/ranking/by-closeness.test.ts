import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readQuery } from '../../../lib/text/index.ts';
import { byCloseness, RESCORED } from './index.ts';

const query = readQuery('annual report ');
const textsOf = ({ text }: { readonly text: string }) => [text];

test('a passage moves up if the words of the query are near each other', () => {
  const passages = [
    { score: 1.05, text: 'a report on something that is annual' },
    { score: 1, text: 'the annual report' },
  ];
  const ranked = byCloseness(passages, query, textsOf);
  assert.deepEqual(ranked.map(textsOf), [['the annual report'], [passages[0]?.text]]);
  assert.ok((ranked[0]?.score ?? 0) > 1.05);
});

test('only the best passages are ranked again, so a higher limit does not change the first results', () => {
  const passages = Array.from({ length: 2 * RESCORED }, (_, index) => ({
    score: 1 - index / 1000,
    text: index % 3 === 0 ? 'annual report' : 'annual',
  }));
  const all = byCloseness(passages, query, textsOf);
  assert.deepEqual(
    byCloseness(passages.slice(0, RESCORED), query, textsOf),
    all.slice(0, RESCORED),
  );
  assert.deepEqual(all.slice(RESCORED), passages.slice(RESCORED));
  assert.ok(all.every(({ score }, at) => at === 0 || score <= (all[at - 1]?.score ?? 0)));
});

test('passages with equal scores keep their order', () => {
  const passages = [1, 2, 3].map((number) => ({ score: 1, text: 'annual', number }));
  assert.deepEqual(byCloseness(passages, query, textsOf), passages);
});
