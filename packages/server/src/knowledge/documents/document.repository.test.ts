import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, before, test } from 'node:test';
import { parse } from '@gatehouse/filter';
import type { Page } from '../../http/index.ts';
import { newStoreLocation } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { KnowledgeScope, type ReadCaller } from '../../storage/ports/index.ts';
import { addDocument } from '../../storage/ports/knowledge-engine-under-test.suite.ts';
import { largeFilter } from '../../storage/ports/large-filter.suite.ts';
import { createDocumentRepository } from './document.repository.ts';
import { createDocuments } from './document.service.ts';

/** More documents than one step of a read with a large filter selects on PostgreSQL. */
const DOCUMENTS = 520;
const AT_ONCE = 8;
const SPACE = randomUUIDv7();
const OTHER_SPACE = randomUUIDv7();

const location = await newStoreLocation();
const store = await location.open();
const { list, find, named } = createDocumentRepository(store.knowledge);
after(async () => {
  await store[Symbol.asyncDispose]();
  location[Symbol.dispose]();
});

const idOf = (n: number) => `01900000-0000-7000-8000-${`${n}`.padStart(12, '0')}`;
const levelOf = (n: number) => (n % 100 === 7 ? 'rare' : n % 2 === 0 ? 'even' : 'odd');
const all = Array.from({ length: DOCUMENTS }, (_, n) => n);
const idsWith = (level: string) => all.filter((n) => levelOf(n) === level).map(idOf);

before(async () => {
  for (const spaceId of [SPACE, OTHER_SPACE]) await addSpace(store, spaceId);
  const waiting = [...all];
  const insertSome = async () => {
    for (let n = waiting.shift(); n !== undefined; n = waiting.shift())
      await addDocument(store.knowledge, {
        spaceId: n === 7 ? OTHER_SPACE : SPACE,
        id: idOf(n),
        metadata: { level: levelOf(n) },
        texts: [],
      });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, insertSome));
});

function scopeOf(level: string): KnowledgeScope {
  const parsed = parse(largeFilter('level', level));
  assert.ok(parsed.ok);
  return new KnowledgeScope(SPACE, parsed.filter);
}

test('pages of a list with a large filter contain each document of the scope once, in order', async () => {
  for (const level of ['rare', 'even']) {
    const found: string[] = [];
    for (;;) {
      const page = await list(scopeOf(level), { after: found.at(-1) ?? null, count: 100 });
      found.push(...page.map(({ id }) => id));
      if (page.length < 100) break;
    }
    assert.deepEqual(
      found,
      idsWith(level).filter((id) => id !== idOf(7)),
    );
  }
  assert.deepEqual(await list(scopeOf('none'), { after: null, count: 10 }), []);
  assert.equal((await list(scopeOf('odd'), { after: null, count: 1, state: 'ready' })).length, 1);
  assert.deepEqual(await list(scopeOf('odd'), { after: null, count: 9, state: 'failed' }), []);
});

test('documents are found by ID only if a large filter accepts them', async () => {
  const scope = scopeOf('odd');
  assert.equal((await find(scope, idOf(1)))?.file_name, idOf(1));
  assert.equal(await find(scope, idOf(2)), undefined);
  assert.equal(await find(scopeOf('rare'), idOf(7)), undefined, 'a document of another space');
  const names = await named(scope, all.map(idOf));
  assert.deepEqual(names.map(({ id }) => id).toSorted(), idsWith('odd'));
});

/** Lists all pages of a search for text. A page examines at most 100 documents. */
async function searchPages(text: string, caller: ReadCaller) {
  const engine = store.knowledge;
  const documents = createDocuments({ engine, clock: Date.now, onWork() {}, maxExamined: 100 });
  const parsed = parse({ search: text });
  assert.ok(parsed.ok);
  const scope = new KnowledgeScope(SPACE, parsed.filter, caller);
  const pages: string[][] = [];
  for (let after: string | null = null; ; ) {
    const page: Page<{ readonly id: string }> = await documents.list(scope, {
      search: text,
      limit: 7,
      ...(after === null ? {} : { after }),
    });
    pages.push(page.items.map(({ id }) => id));
    if (page.next === null) return pages;
    after = page.next;
  }
}

test('each page of a search for a rare text examines a limited number of documents, and all pages together find every match once', async () => {
  const pages = await searchPages('00000000051', 'user editor');
  const ids = all.map(idOf).filter((id) => id.includes('00000000051'));
  assert.deepEqual(pages.flat(), ids);
  assert.ok(pages.some(({ length }) => length === 0));
  const rare = await searchPages('0519', 'user editor');
  assert.deepEqual(rare, [[], [], [], [], [], [idOf(519)]]);
  assert.deepEqual(await searchPages('nowhere', 'key backend'), [[], [], [], [], [], []]);
});

test('a search through a link has no short pages, which would reveal the number of hidden documents', async () => {
  assert.deepEqual(await searchPages('0519', 'link 1'), [[idOf(519)]]);
  assert.deepEqual(await searchPages('nowhere', 'link 1'), [[]]);
});
