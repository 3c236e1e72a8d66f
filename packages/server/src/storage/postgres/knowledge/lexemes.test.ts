import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { readQuery } from '../../../lib/text/index.ts';
import { indexedPassages } from '../../full-text/indexed-passage.ts';
import { newDatabase } from '../database.suite.ts';
import { openPool } from '../pool.ts';
import { anyForm, exactTerm, phraseTerms, vectorOf } from './lexemes.ts';

const SPACE = 12;

test('prefixes every lexeme with the number of its space', () => {
  const vector = vectorOf(SPACE, passage('One title', 'A heading', 'some text'));
  assert.equal(
    vector,
    "'12:one':1B '12:title':2B '12:a':4C '12:heading':5C '12:some':7 '12:text':8",
  );
  assert.notEqual(exactTerm(1, '2:term'), exactTerm(12, 'term'));
});

test('escapes query syntax in terms', () => {
  assert.equal(exactTerm(SPACE, "a' | 'b\\"), "'12:a'' | ''b\\\\'");
});

test('PostgreSQL matches phrases and prefixes', {
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
  const phrase = (text: string) =>
    readQuery(`"${text}"`).phrases.map((one) => phraseTerms(SPACE, one));
  for (const [query = '', found] of [
    [...phrase('four days'), true],
    [...phrase('days four'), false],
    [...phrase('東京'), true],
    // This phrase consists of the last word of the title and the first word of the heading, so it must not match.
    [...phrase('lamp returns'), false],
    [...readQuery('refund ').terms.map((term) => anyForm(SPACE, term)), true],
    [exactTerm(SPACE, 'c++'), true],
    [exactTerm(SPACE + 1, 'refunds'), false],
    [exactTerm(1, 'refunds'), false],
  ] as [string, boolean][])
    assert.equal(await finds(query), found, query);
});

function passage(title: string, heading: string, text: string) {
  const owner = { spaceId: '', number: 1, fileName: '', title };
  const [one] = indexedPassages(owner, 0, [{ heading: [heading], text }]);
  return one ?? assert.fail();
}
