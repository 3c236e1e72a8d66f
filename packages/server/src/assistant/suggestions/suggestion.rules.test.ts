import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourcePassage } from '../answerer.ts';
import { suggestionsOf } from './suggestion.rules.ts';

const passage = (heading: string | null, more: Partial<SourcePassage> = {}): SourcePassage => ({
  documentId: 'a',
  fileName: 'a.md',
  position: 0,
  heading,
  text: 'Text.',
  ...more,
});
const textsOf = (found: SourcePassage[], cited: SourcePassage[], question = 'How?') =>
  suggestionsOf({ found, cited, question }).map(({ text }) => text);

test('suggestions are at most three different headings of passages that the answer does not cite', () => {
  const cited = passage('Returns › Refunds');
  const others = ['Returns › Parcels', 'Labels', 'parcels', 'Costs', 'Duration'].map((heading) =>
    passage(heading),
  );
  assert.deepEqual(textsOf([cited, ...others], [cited]), ['Parcels', 'Labels', 'Costs']);
});

test('pages, records, attachments, long headings and the words of the question are not suggested', () => {
  const found = [
    passage(null),
    passage('Page 3'),
    passage('x'.repeat(81)),
    passage('Order 1001', { isRecord: true }),
    passage('Invoice', { attachment: { mimeType: 'text/plain' } }),
    passage('Refund costs'),
    passage('Parcels\nabroad'),
  ];
  assert.deepEqual(textsOf(found, [], 'What does a refund costs?'), ['Parcels abroad']);
});
