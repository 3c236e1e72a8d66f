import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FULL, SEED } from '../support/campaign.ts';
import { openLink } from '../support/chat.ts';
import { openChatService } from '../support/chat-service.ts';
import { inParallel, untilRead } from '../support/knowledge.ts';
import { makeSpace } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';

const STEPS = FULL ? 600 : 50;
const DOCUMENTS = 24;
const LEVELS = [1, 2, 3, 4];
/** Of a space; those of one person see more and less, and two links name nobody. */
const PEOPLE = ['ada', 'ada', 'ada', 'bob', null, null];

interface Written {
  readonly id: string;
  readonly spaceId: string;
  /** 0: deleted. */
  level: number;
}

interface Visitor {
  readonly as: string;
  readonly linkToken: string;
  readonly spaceId: string;
  readonly level: number;
}

test('whatever is asked, opened, changed and deleted, a conversation tells a link only of documents that it may see then', async (t) => {
  const random = seeded(SEED);
  await using service = await openChatService();
  const { client, session, model } = service;
  /** By the word in a document's name and text, which no other has. */
  const written = new Map<string, Written>();
  const visitors: Visitor[] = [];
  const conversations = new Set<string>();
  let told = 0;
  let hidden = 0;

  for (const { id: spaceId } of [service.space, await makeSpace(client, session)]) {
    await inParallel([...Array(DOCUMENTS).keys()], 4, async (n) => {
      const marker = `marker${spaceId.slice(-4)}${n}x`;
      const level = random.pick(LEVELS);
      const body = { fileName: `${marker}.txt`, text: `Lamps: ${marker}.`, metadata: { level } };
      const answer = await client(`/spaces/${spaceId}/documents`, { as: session, body });
      assert.equal(answer.status, 201, answer.text);
      written.set(marker, { id: String(answer.json['id']), spaceId, level });
    });
    await untilRead(client, session, spaceId);
    for (const sub of PEOPLE) {
      const level = random.pick(LEVELS);
      const permissionFilter = { level: { lte: level } };
      const link = { spaceId, permissionFilter, ...(sub === null ? {} : { sub }) };
      visitors.push({ ...(await openLink(client, session, link)), spaceId, level });
    }
  }

  /** Counts what is told, and fails when any of it is not for this link. */
  function check(text: string, visitor: Visitor, where: string): void {
    for (const [marker] of text.matchAll(/marker\w+x/g)) {
      const { spaceId, level } = written.get(marker) ?? { spaceId: '', level: 0 };
      const isFree = spaceId === visitor.spaceId && level > 0 && level <= visitor.level;
      assert.ok(isFree, `${marker} is told ${where}, seed ${SEED}`);
      told += 1;
    }
  }

  /** A document's word as it finds it, and as it is written nowhere. */
  const guess = () => random.pick([...written.keys()]).toUpperCase();

  // It tells all that it was ever shown, and sometimes looks for more.
  model.behave(({ text, toolChoice, tools }) => {
    if (tools.length > 0 && toolChoice !== 'none' && random.below(4) === 0)
      return { does: 'search', queries: ['lamps', guess()] };
    const markers = new Set(text.match(/marker\w+x/g));
    return {
      does: 'answer',
      pieces: [...markers, 'Done [1] [2] [3] [9].'].map((one) => `${one} `),
    };
  });

  async function ask(visitor: Visitor): Promise<void> {
    const chat = random.below(3) > 0 ? random.pick([...conversations, 'new']) : 'mine';
    const again = random.below(4) === 0 ? { trigger: 'regenerate-message' } : {};
    const text = random.pick(['Which lamps?', 'Say that again.', 'And the other lamps?']);
    const id = random.pick(['a', 'b', 'c']);
    const messages = [{ id, role: 'user', parts: [{ type: 'text', text }] }];
    const shownBefore = model.requests.length;
    const body = { id: chat === 'new' ? `chat ${conversations.size}` : chat, messages, ...again };
    const answer = await client('/chat', { as: visitor.as, body });
    assert.equal(answer.status, 200, answer.text);
    check(answer.text, visitor, 'in an answer');
    for (const request of model.requests.slice(shownBefore))
      check(request.text, visitor, 'to the model');
    const [, conversation] = /"conversationId":"([^"]+)"/.exec(answer.text) ?? [];
    assert.ok(conversation);
    conversations.add(conversation);
  }

  async function open(visitor: Visitor, ids: Iterable<string>): Promise<void> {
    const { as, linkToken } = visitor;
    check((await client('/chat/conversations', { as })).text, visitor, 'in the list');
    for (const id of ids) {
      const { text } = await client(`/chat/conversations/${id}`, { as });
      check(text, visitor, 'in a conversation');
      hidden += text.split('"hidden"').length - 1;
    }
    const { text } = await client('/assistant-link/exchange', { body: { linkToken } });
    check(text, visitor, 'by the exchange');
  }

  async function change(): Promise<void> {
    const document = random.pick([...written.values()].filter(({ level }) => level > 0));
    const path = `/spaces/${document.spaceId}/documents/${document.id}`;
    document.level = random.below(5) === 0 ? 0 : random.pick(LEVELS);
    const metadata = { level: document.level };
    const send =
      document.level === 0 ? { method: 'DELETE' } : { method: 'PATCH', body: { metadata } };
    assert.ok((await client(path, { as: session, ...send })).status < 300);
  }

  for (let step = 0; step < STEPS; step++) {
    const visitor = random.pick(visitors);
    const what = random.below(10);
    if (what < 6) await ask(visitor);
    else if (what < 8) await change();
    else await open(visitor, [...conversations].slice(-8));
  }
  for (const visitor of visitors) await open(visitor, conversations);
  t.diagnostic(`seed ${SEED}: ${told} told, ${hidden} hidden, ${conversations.size} conversations`);
  assert.ok(told > 5 * STEPS && hidden > (FULL ? STEPS / 6 : 0));
});
