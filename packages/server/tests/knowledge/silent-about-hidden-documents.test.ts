import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { exchange } from '../support/assistant/chat.ts';
import { type FakeModel, startFakeModel } from '../support/assistant/fake-model.ts';
import { shownPrompt } from '../support/assistant/shown-prompt.ts';
import type { Client } from '../support/http/client.ts';
import { inParallel, untilIndexed } from '../support/knowledge/knowledge.ts';
import { makeLink, makeSpace } from '../support/provision.ts';
import { type Seeded, seeded } from '../support/seeded.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const ROUNDS = roundsOf(2, 400);
const VISIBLE = 10;
const CHANGES_PER_ROUND = 5;
const QUERIES_PER_ROUND = 4;
const WORDS = Array.from({ length: 30 }, (_, index) => `word${index.toString(36)}`);
/**
 * Words of documents that consist of one of these words. The order in which such documents are found depends only on the
 * number of documents with each word, as in the attack by Wang et al. (STRESS, IEEE S&P 2017).
 */
const SINGLE_WORDS = ['almond', 'birch', 'cedar', 'dogwood', 'elm', 'fir'];
const SINGLE = 20;
/** Words that only hidden documents contain. */
const SECRET_WORDS = ['merger', 'layoffs', 'acquisition'];

interface Hidden {
  readonly path: string;
  readonly spaceId: string;
}

interface Visitor {
  readonly client: Client;
  readonly as: string;
  readonly linkToken: string;
  readonly spaceId: string;
  /** Null for a service that answers without a model. */
  readonly model: FakeModel | null;
}

class Texts {
  readonly #random: Seeded;

  constructor(random: Seeded) {
    this.#random = random;
  }

  of(words: number, secret = 0.1): string {
    const { next, pick, below } = this.#random;
    const word = () =>
      next() < secret ? pick(SECRET_WORDS) : (WORDS[Math.floor(next() ** 3 * WORDS.length)] ?? '');
    return Array.from({ length: 1 + below(words) }, word).join(' ');
  }

  single(): string {
    return this.#random.pick(SINGLE_WORDS);
  }

  query(): string {
    if (this.#random.next() < 0.5) return `${this.single()} ${this.single()} ${this.single()}`;
    const text = this.of(4, 0.3);
    return this.#random.next() < 0.2 ? `"${this.of(2)}" ${text}` : text;
  }
}

/** Returns everything that a widget session receives, and the prompts that a model receives. */
async function observe(visitor: Visitor, queries: readonly string[]): Promise<string[]> {
  const { client, as, spaceId, linkToken, model } = visitor;
  const seen: string[] = [];
  const see = async (path: string, body?: object): Promise<Record<string, unknown>> => {
    const answer = await client(path, { as, ...(body === undefined ? {} : { body }) });
    assert.equal(answer.status, 200, answer.text);
    const length = answer.headers.get('content-length');
    seen.push(`${path} ${JSON.stringify(body)} ${length} ${answer.text}`);
    return answer.json;
  };
  const documents = `/spaces/${spaceId}/documents`;
  const ids: string[] = [];
  for (let next: unknown = ''; next !== null; ) {
    const page = await see(`${documents}?limit=5${next === '' ? '' : `&after=${next}`}`);
    ids.push(...(page['items'] as { id: string }[]).map(({ id }) => id));
    next = page['next'];
  }
  await see(`${documents}?state=processing`);
  await see(`${documents}?state=failed`);
  for (const id of ids.slice(0, 3))
    for (const part of ['', '/passages?limit=1', '/content'])
      await see(`${documents}/${id}${part}`);
  seen.push(await callMcp(visitor, 'resources/list', {}));
  for (const query of queries) {
    const call = { name: 'search', arguments: { query, limit: 3 } };
    seen.push(await callMcp(visitor, 'tools/call', call));
    await see(`/spaces/${spaceId}/search`, { query, limit: 3 });
    await see(`/spaces/${spaceId}/search`, { query, filter: { kind: { ne: 'b' } } });
    seen.push(await ask(visitor, query));
  }
  if (model !== null) {
    for (const { text } of model.requests) seen.push(withoutNonces(text));
    model.requests.length = 0;
  }
  const opened = await client('/assistant-link/exchange', { body: { linkToken } });
  seen.push(JSON.stringify({ ...opened.json, accessToken: '', expiresAt: '' }));
  return seen;
}

async function ask({ client, as }: Visitor, text: string): Promise<string> {
  const messages = [{ id: 'question', role: 'user', parts: [{ type: 'text', text }] }];
  const answer = await client('/chat', { as, body: { id: 'chat', messages } });
  assert.equal(answer.status, 200, answer.text);
  return answer.text
    .replaceAll(/"(messageId|conversationId)":"[^"]+"/g, '"$1":""')
    .replaceAll(/"createdAt":"[^"]+"/g, '"createdAt":""');
}

/** Calls the MCP server with the token of the link. */
async function callMcp(
  { client, linkToken }: Visitor,
  method: string,
  params: object,
): Promise<string> {
  const answer = await client('/mcp', {
    as: linkToken,
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.text;
}

/** Removes the random names of the blocks that separate data from instructions. */
function withoutNonces(prompt: string): string {
  return prompt.replaceAll(/data-[0-9a-f]{16}/g, 'data');
}

async function add(
  client: Client,
  session: string,
  spaceId: string,
  document: object,
): Promise<string> {
  const path = `/spaces/${spaceId}/documents`;
  const answer = await client(path, { as: session, body: document });
  assert.equal(answer.status, 201, answer.text);
  return `${path}/${answer.json['id']}`;
}

for (const withModel of [true, false])
  test(`documents outside the scope change nothing that a widget session ${withModel ? 'or its model ' : ''}receives (seed ${SEED})`, async (t) => {
    const random = seeded(SEED);
    const texts = new Texts(random);
    await using model = withModel ? await startFakeModel() : null;
    model?.behave((request) => {
      const { question, passages } = shownPrompt(request);
      const isFirst = !request.messages.some(({ role }) => role === 'tool');
      if (isFirst && request.toolChoice !== 'none' && request.tools.length > 0)
        return { does: 'search', queries: [question, ...SECRET_WORDS] };
      const shown = passages.map(({ number, text }) => `${text} [${number}] `);
      return { does: 'answer', pieces: ['Found: ', ...shown] };
    });
    const env: Record<string, string> = {
      GATEHOUSE_RATE_LIMIT_CHAT: '0',
      GATEHOUSE_RATE_LIMIT_READS_LINK: '0',
      GATEHOUSE_SEARCH_TIME_LINK: '0',
    };
    if (model !== null)
      Object.assign(env, { GATEHOUSE_MODEL_URL: model.url, GATEHOUSE_MODEL_NAME: 'small' });
    await using running = await startServiceWithSpace({ env });
    const { client, session, space } = running;
    const other = await makeSpace(client, session);

    await inParallel([...Array(VISIBLE).keys()], 4, async (index) => {
      const paragraphs = Array.from({ length: 3 }, () => texts.of(20, 0)).join('\n\n');
      const metadata = { level: 'open', kind: random.pick(['a', 'b']) };
      const document = { fileName: `${index} ${texts.of(2, 0)}.txt`, text: paragraphs, metadata };
      await add(client, session, space.id, document);
    });
    await inParallel([...Array(SINGLE).keys()], 4, async (index) => {
      const metadata = { level: 'open', kind: random.pick(['a', 'b']) };
      await add(client, session, space.id, {
        fileName: `${index}.txt`,
        text: texts.single(),
        metadata,
      });
    });
    await untilIndexed(client, session, space.id);
    const filtered = await client(`/spaces/${space.id}`, {
      method: 'PATCH',
      as: session,
      body: { permissionFilter: { audience: { ne: 'board' } } },
    });
    assert.equal(filtered.status, 200, filtered.text);
    const { token } = await makeLink(client, session, {
      spaceId: space.id,
      permissionFilter: { level: { eq: 'open' } },
      features: { chatHistory: false },
      widget: { suggestions: ['What is word0?', 'What is the merger?'] },
    });
    const { as } = await exchange(client, token);
    const visitor: Visitor = { client, as, linkToken: token, spaceId: space.id, model };

    const hidden: Hidden[] = [];
    async function change(): Promise<void> {
      if (hidden.length > 1 && random.below(3) === 0) {
        const [gone] = hidden.splice(random.below(hidden.length), 1);
        const removed = await client(gone?.path ?? '', { method: 'DELETE', as: session });
        assert.equal(removed.status, 204);
        return;
      }
      const spaceId = random.below(3) > 0 ? space.id : other.id;
      // Some documents in the space of the link are hidden by the filter of the link, and the others by the filter of the space.
      const level = spaceId === other.id ? 'open' : random.pick(['closed', 'none', 'open']);
      const audience = level === 'open' ? 'board' : 'all';
      const fileName = `${hidden.length} ${texts.of(2)} ${random.next()}.txt`;
      const metadata = { level, audience, kind: random.pick(['a', 'b']) };
      const text =
        random.below(2) === 0 ? texts.of(60, 0.4) : `${texts.single()} ${texts.single()}`;
      const path = await add(client, session, spaceId, { fileName, text, metadata });
      hidden.push({ path, spaceId });
    }

    let observations = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const queries = Array.from({ length: QUERIES_PER_ROUND }, () => texts.query());
      const before = await observe(visitor, [...queries, ...SECRET_WORDS]);
      for (let changes = 0; changes < CHANGES_PER_ROUND; changes += 1) await change();
      for (const { id } of [space, other]) await untilIndexed(client, session, id);
      const after = await observe(visitor, [...queries, ...SECRET_WORDS]);
      for (const [index, text] of before.entries()) assert.equal(after[index], text);
      assert.equal(after.length, before.length);
      observations += after.length;
    }
    t.diagnostic(`${observations} observations, ${hidden.length} hidden documents at the end`);
    assert.ok(hidden.length > 0);
  });
