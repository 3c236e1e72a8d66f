import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { largeFilter } from '../../src/storage/ports/large-filter.suite.ts';
import { formOf } from '../support/http/form.ts';
import { addDocument, untilDocumentIndexed } from '../support/knowledge/knowledge.ts';
import { knowledgeOfThisFile } from '../support/knowledge/knowledge-of-this-file.ts';
import { exchangeLink, makeLink } from '../support/provision.ts';

const { client, session, spaceId, path, upload } = await knowledgeOfThisFile({
  env: { GATEHOUSE_RATE_LIMIT_READS_LINK: '0' },
});
const BROKEN = '%PDF-1.7 this is no PDF';
const DOCUMENTS = 24;

interface Listed {
  readonly items: readonly { readonly id: string; readonly fileName: string }[];
  readonly next: string | null;
}

async function get(query: string, as = session): Promise<Listed> {
  const { status, text, json } = await client(`${path}?${query}`, { as });
  assert.equal(status, 200, text);
  return json as unknown as Listed;
}

/** Returns the names of the documents on all pages, or on the pages after a cursor. */
async function namesIn(query: string, as = session, after: string | null = null) {
  const names: string[] = [];
  let next = after;
  do {
    const page: Listed = await get(next === null ? query : `${query}&after=${next}`, as);
    names.push(...page.items.map(({ fileName }) => fileName));
    next = page.next;
  } while (next !== null);
  return names;
}

describe('the order of documents', () => {
  /** Adds ready and failed documents, and documents with a key whose newest version has failed. */
  before(async () => {
    for (let n = 0; n < DOCUMENTS; n += 1) {
      const metadata = { team: n % 3 === 0 ? 'sales' : 'support' };
      const parts = { metadata: JSON.stringify(metadata) };
      if (n % 4 === 0) {
        const { json } = await upload(`failed-${n}.pdf`, `${BROKEN} ${n}`, parts);
        await untilDocumentIndexed(client, session, `${path}/${json['id']}`);
        continue;
      }
      const document = { fileName: `text-${n % 5}.txt`, text: `Text ${n}.`, metadata };
      if (n % 4 !== 1) {
        await addDocument(client, session, spaceId, document);
        continue;
      }
      for (const body of [{ body: document }, await formOf(`new-${n}.pdf`, BROKEN, parts)]) {
        const put = { method: 'PUT', as: session, ...body };
        const { status, text, json } = await client(`${path}/by-key/${n}`, put);
        assert.ok(status < 300, text);
        await untilDocumentIndexed(client, session, `${path}/${json['id']}`);
      }
    }
  });

  test('newest first is the reverse of oldest first, with each condition and size of pages', async () => {
    for (const [condition, count] of [
      ['', DOCUMENTS],
      ['state=ready', DOCUMENTS / 2],
      ['state=failed', DOCUMENTS / 2],
      ['state=processing', 0],
      ['search=text', DOCUMENTS / 2],
      ['search=SALES', DOCUMENTS / 3],
      ['search=sales&state=failed', DOCUMENTS / 6],
      ['fileName=text-3.txt', null],
      ['fileName=nothing.txt', 0],
    ] as const) {
      const oldest = await namesIn(condition);
      if (count !== null) assert.equal(oldest.length, count, condition);
      for (const limit of [1, 5, 12, 200]) {
        const pages = `${condition}&limit=${limit}`;
        assert.deepEqual(await namesIn(`${pages}&order=oldest`), oldest, pages);
        assert.deepEqual(await namesIn(`${pages}&order=newest`), oldest.toReversed(), pages);
      }
    }
  });

  test('newest first shows a link only the documents that its filter permits', async () => {
    for (const permissionFilter of [{ team: { eq: 'sales' } }, largeFilter('team', 'sales')]) {
      const link = await makeLink(client, session, { spaceId, permissionFilter });
      const as = await exchangeLink(client, link.token);
      const oldest = await namesIn('', as);
      assert.ok(oldest.length > 0 && oldest.length < DOCUMENTS);
      for (const query of ['limit=3', 'limit=200'])
        assert.deepEqual(await namesIn(`${query}&order=newest`, as), oldest.toReversed());
    }
  });

  test('a cursor is valid only with the order of its page', async () => {
    const invalid = [
      'after: belongs to a page with another `order`; repeat the `order` of that page, or omit `after` for the first page',
    ];
    for (const search of ['', '&search=text']) {
      const { next: newest } = await get(`limit=2&order=newest${search}`);
      const { next: oldest } = await get(`limit=2${search}`);
      for (const query of [`after=${newest}`, `after=${newest}&order=oldest`])
        await assertInvalid(`${query}${search}`, invalid);
      await assertInvalid(`after=${oldest}&order=newest${search}`, invalid);
      assert.deepEqual(
        await get(`after=${oldest}&order=oldest${search}`),
        await get(`after=${oldest}${search}`),
      );
    }
  });

  test('an unknown order is rejected with the known ones, and a misspelt parameter with its name', async () => {
    await assertInvalid('order=newst', ['order: must be "oldest" or "newest"']);
    await assertInvalid('oder=newest', ['oder: unknown member (did you mean order?)']);
  });

  test('a document that is added or deleted between two pages with the newest documents first changes no later page', async () => {
    const names = await namesIn('order=newest');
    const first = await get('order=newest&limit=4');
    const document = { fileName: 'late.txt', text: 'Late.' };
    const { id } = await addDocument(client, session, spaceId, document);
    const later = () => namesIn('order=newest&limit=4', session, first.next);
    assert.deepEqual(await later(), names.slice(4));
    assert.equal((await get('order=newest&limit=1')).items[0]?.fileName, 'late.txt');
    await client(`${path}/${id}`, { method: 'DELETE', as: session });
    const last = first.items.at(-1)?.id;
    await client(`${path}/${last}`, { method: 'DELETE', as: session });
    assert.deepEqual(await later(), names.slice(4));
  });
});

async function assertInvalid(query: string, issues: readonly string[]): Promise<void> {
  const { status, json } = await client(`${path}?${query}`, { as: session });
  assert.equal(status, 400, query);
  const messages = (json['issues'] as { message: string }[]).map(({ message }) => message);
  assert.deepEqual(messages, issues, query);
}
