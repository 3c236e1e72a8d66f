import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLink } from '../support/assistant/chat.ts';
import { openChatService } from '../support/assistant/chat-service.ts';
import { FULL, SEED } from '../support/campaign.ts';
import { inParallel, untilIndexed } from '../support/knowledge/knowledge.ts';
import { makeSpace } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';

const STEPS = FULL ? 600 : 50;
const DOCUMENTS = 24;
const LEVELS = [1, 2, 3, 4];
/**
 * The `sub` of each link of a space. Links with the same `sub` belong to the same user but have different permissions.
 */
const PEOPLE = ['ada', 'ada', 'ada', 'bob', null, null];

interface Written {
  readonly id: string;
  readonly spaceId: string;
  /** 0 if the document is deleted. */
  level: number;
}

interface Visitor {
  readonly as: string;
  readonly linkToken: string;
  readonly spaceId: string;
  readonly level: number;
}

test('random questions, reads, changes and deletions never reveal a document that the link cannot see', async (t) => {
  const random = seeded(SEED);
  await using service = await openChatService();
  const { client, session, model } = service;
  /** Documents by the unique marker word in their name and text. */
  const written = new Map<string, Written>();
  const visitors: Visitor[] = [];
  /** The highest level that the filter of each space permits. */
  const ceilings = new Map<string, number>();
  const conversations = new Set<string>();
  let revealed = 0;
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
    await untilIndexed(client, session, spaceId);
    for (const sub of PEOPLE) {
      const level = random.pick(LEVELS);
      const permissionFilter = { level: { lte: level } };
      const link = { spaceId, permissionFilter, ...(sub === null ? {} : { sub }) };
      visitors.push({ ...(await openLink(client, session, link)), spaceId, level });
    }
  }

  /** Counts the documents that a text reveals. Fails if the link must not see one of these documents. */
  function check(text: string, visitor: Visitor, where: string): void {
    for (const [marker] of text.matchAll(/marker\w+x/g)) {
      const { spaceId, level } = written.get(marker) ?? { spaceId: '', level: 0 };
      const ceiling = Math.min(visitor.level, ceilings.get(spaceId) ?? Number.POSITIVE_INFINITY);
      const isAllowed = spaceId === visitor.spaceId && level > 0 && level <= ceiling;
      assert.ok(isAllowed, `${marker} was revealed ${where}, seed ${SEED}`);
      revealed += 1;
    }
  }

  /**
   * Returns the marker word of a random document in upper case. Search ignores case, so the word still matches the
   * document, but checks for revealed markers do not detect it.
   */
  const guess = () => random.pick([...written.keys()]).toUpperCase();

  // The model repeats all markers in the prompt and sometimes searches for other markers.
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

  async function limitSpace(spaceId: string, ceiling: number | null): Promise<void> {
    if (ceiling === null) ceilings.delete(spaceId);
    else ceilings.set(spaceId, ceiling);
    const body = { permissionFilter: ceiling === null ? null : { level: { lte: ceiling } } };
    const changed = await client(`/spaces/${spaceId}`, { method: 'PATCH', as: session, body });
    assert.equal(changed.status, 200, changed.text);
  }

  for (let step = 0; step < STEPS; step++) {
    const visitor = random.pick(visitors);
    const action = random.below(10);
    if (action < 6) await ask(visitor);
    else if (action < 8) {
      if (random.below(4) > 0) await change();
      else {
        const { spaceId } = random.pick(visitors);
        await limitSpace(spaceId, random.below(3) === 0 ? null : random.pick(LEVELS));
      }
    } else await open(visitor, [...conversations].slice(-8));
  }
  for (const visitor of visitors) await open(visitor, conversations);
  // Now no document is visible, so every answer that quotes one is hidden.
  for (const spaceId of new Set(visitors.map((visitor) => visitor.spaceId)))
    await limitSpace(spaceId, 0);
  for (const visitor of visitors) await open(visitor, conversations);
  t.diagnostic(
    `seed ${SEED}: ${revealed} revealed, ${hidden} hidden, ${conversations.size} conversations`,
  );
  assert.ok(revealed > 5 * STEPS && hidden > (FULL ? STEPS / 6 : 0));
});
