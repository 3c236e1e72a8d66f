import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_SOURCE_LENGTH } from '@gatehouse/contract';
import fc from 'fast-check';
import { MAX_BOUNDARIES, prefixesOf, prefixProblem } from './covering.rules.ts';

const covers = (prefix: string, source: string) => prefixesOf(source).includes(prefix);

test('a prefix covers itself and sources that continue at a boundary', () => {
  for (const [prefix, sources] of [
    ['https://a.example', ['', '/', '/x', '/x/y', '?q', '#f']],
    ['https://a.example/', ['', 'x', 'x/y', '?q']],
    ['https://a.example/orders', ['', '/1', '?q', '#f']],
    ['https://a.example:8443', ['', '/x']],
    ['https://[::1]', ['', '/x']],
    ['urn:shop', ['', ':orders', ':orders:1', '/x', '#f']],
    ['urn:shop:', ['', 'orders']],
    ['mailto:a@b.example', ['', '?q']],
  ] as const)
    for (const rest of sources) {
      assert.equal(prefixProblem(prefix), null, prefix);
      assert.ok(covers(prefix, prefix + rest), prefix + rest);
    }
});

test('a prefix never covers a source that has another host, user or port or that continues without a boundary', () => {
  for (const [prefix, source] of [
    ['https://a.example', 'https://a.example.evil'],
    ['https://a.example', 'https://a.example.evil/'],
    ['https://a.example', 'https://a.example@evil.example/'],
    ['https://a.example', 'https://a.example:secret@evil.example/'],
    ['https://a.example', 'https://a.example:8443/'],
    ['https://a.example', 'https://a.examples'],
    ['https://a.example', 'http://a.example'],
    ['https://a.example', 'https://A.example/'],
    ['https://a.example/orders', 'https://a.example/orders-evil'],
    ['https://a.example/orders', 'https://a.example/order'],
    ['https://a.example/', 'https://a.example'],
    ['https:/a', 'https://a.example'],
    ['urn:shop', 'urn:shopping'],
    ['urn:shop:', 'urn:shop'],
  ] as const)
    assert.ok(!covers(prefix, source), `${prefix} covers ${source}`);
});

test('rejects a prefix that consists of a scheme only', () => {
  for (const prefix of [
    'https:',
    'https:/',
    'https://',
    'https:///x',
    'urn:',
    'urn::',
    'x',
    '/a/b',
  ])
    assert.match(prefixProblem(prefix) ?? '', /must not consist of a scheme only/, prefix);
});

test('accepts prefixes with the maximum number of boundaries and rejects prefixes with more', () => {
  const longest = `https://a.example${'/x'.repeat(MAX_BOUNDARIES)}`;
  assert.equal(prefixProblem(longest), null);
  assert.ok(covers(longest, `${longest}${'/y'.repeat(100)}`));
  assert.match(prefixProblem(`${longest}/`) ?? '', /at most 32/);
  assert.ok(prefixesOf('/'.repeat(100_000)).length <= 2 * MAX_BOUNDARIES + 3);
});

test('returns the prefixes of a source from longest to shortest', () => {
  const parts = fc.constantFrom('/', ':', '?', '#', 'a', 'bc', '@', '.', '//');
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (words) => {
      const source = `https://h.example${words.join('')}`;
      const prefixes = prefixesOf(source);
      assert.equal(prefixes[0], source);
      for (const [at, prefix] of prefixes.entries()) {
        assert.ok(source.startsWith(prefix));
        assert.ok(prefix.length >= 'https://h.example'.length, prefix);
        assert.ok(at === 0 || prefix.length < (prefixes[at - 1] ?? '').length);
      }
    }),
  );
});

test('names that are too long to be registered are omitted', () => {
  const host = 'https://a.example';
  const path = `/${'b'.repeat(MAX_SOURCE_LENGTH - host.length - 2)}/`;
  assert.deepEqual(prefixesOf(`${host}${path}`), [
    `${host}${path}`,
    `${host}${path.slice(0, -1)}`,
    `${host}/`,
    host,
  ]);
  assert.deepEqual(
    prefixesOf(`${host}${path}cd/e`).map(({ length }) => length),
    [MAX_SOURCE_LENGTH, MAX_SOURCE_LENGTH - 1, host.length + 1, host.length],
  );
  assert.deepEqual(prefixesOf(`urn:${'a'.repeat(MAX_SOURCE_LENGTH)}:b`), []);
});
