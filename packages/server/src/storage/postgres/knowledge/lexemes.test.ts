import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { readQuery } from '../../../lib/text/index.ts';
import { indexedPassages } from '../../full-text/indexed-passage.ts';
import { newDatabase } from '../database.suite.ts';
import { openPool } from '../pool.ts';
import { anyForm, exactly, inOrder, vectorOf } from './lexemes.ts';

const SPACE = 12;

test('every lexeme begins with the number of its space, and terms of other spaces are other lexemes', () => {
  const vector = vectorOf(SPACE, passage('One title', 'A heading', 'some text'));
  assert.equal(
    vector,
    "'12:one':1B '12:title':2B '12:a':4C '12:heading':5C '12:some':7 '12:text':8",
  );
  assert.notEqual(exactly(1, '2:term'), exactly(12, 'term'));
});

test('nothing of the engine’s syntax comes through from a term', () => {
  assert.equal(exactly(SPACE, "a' | 'b\\"), "'12:a'' | ''b\\\\'");
});

test('phrases and beginnings are found as PostgreSQL reads them', {
  skip: postgresIsMissing,
}, async () => {
  await using pool = openPool({ url: await newDatabase(), connections: 1, onError: () => {} });
  const vector = vectorOf(
    SPACE,
    passage('Blue lamp', 'Returns', 'Refunds take four days. C++ & “quotes”, it’s 東京都.'),
  );
  const finds = async (query: string) => {
    const { rows } = await pool.run('select $1::tsvector @@ $2::tsquery as found', [vector, query]);
    return rows[0]?.['found'];
  };
  const phrase = (text: string) => readQuery(`"${text}"`).phrases.map((one) => inOrder(SPACE, one));
  for (const [query = '', found] of [
    [...phrase('four days'), true],
    [...phrase('days four'), false],
    [...phrase('東京'), true],
    // The last word of the title, the first of the heading.
    [...phrase('lamp returns'), false],
    [...readQuery('refund ').terms.map((term) => anyForm(SPACE, term)), true],
    [exactly(SPACE, 'c++'), true],
    [exactly(SPACE + 1, 'refunds'), false],
    [exactly(1, 'refunds'), false],
  ] as [string, boolean][])
    assert.equal(await finds(query), found, query);
});

function passage(title: string, heading: string, text: string) {
  const owner = { spaceId: '', number: 1, fileName: '', title };
  const [one] = indexedPassages(owner, 0, [{ heading: [heading], text }]);
  return one ?? assert.fail();
}
