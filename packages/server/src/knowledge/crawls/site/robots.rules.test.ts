import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rulesForCrawler } from './robots.rules.ts';

function rulesIn(...lines: readonly string[]): readonly string[] | string {
  const read = rulesForCrawler(lines.join('\n'));
  return read.problem ?? read.rules.split('\n').slice(1);
}

test('the groups for this crawler take precedence over the groups for all crawlers', () => {
  const general = ['\ufeffUser-agent: *', 'Disallow: /a # all', 'Crawl-delay: 2'];
  const other = ['User-Agent: other', 'Disallow: /b'];
  const own = ['user-agent: other', 'user-agent: Gatehouse-Crawler/1.0', '', 'allow : /c'];
  assert.deepEqual(rulesIn(...general, ...other, ...own), ['allow: /c']);
  assert.deepEqual(rulesIn(...general, ...other), ['disallow: /a', 'crawl-delay: 2']);
  assert.deepEqual(rulesIn(...other), []);
  assert.deepEqual(rulesIn(...own, 'User-agent: *', 'Disallow: /', ...own), [
    'allow: /c',
    'allow: /c',
  ]);
  assert.deepEqual(rulesIn(...general, 'User-agent: gatehouse-crawler', 'Disallow:'), [
    'disallow: ',
  ]);
});

test('a line that is no rule ends the names of a group', () => {
  assert.deepEqual(
    rulesIn('User-agent: *', 'Sitemap: /map', 'User-agent: other', 'Disallow: /a'),
    [],
  );
});

test('rules that would take too long to evaluate are a problem, if they are for this crawler', () => {
  for (const [rules, problem] of [
    ['Disallow: *a*b*c\n'.repeat(2000), 'the file has too many rules with wildcards'],
    ['Disallow: /a\n'.repeat(10_001), 'the file has more than 10000 rules'],
    [`Disallow: /${'a'.repeat(2000)}`, 'a rule of the file has more than 2000 characters'],
  ] as const) {
    assert.equal(rulesIn('User-agent: *', rules), problem);
    assert.deepEqual(rulesIn('User-agent: other', rules), []);
  }
});
