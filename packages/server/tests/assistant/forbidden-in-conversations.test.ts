import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { FilePart } from '@gatehouse/contract';
import { FULL, SEED } from '@gatehouse/filter/tests/campaign';
import { attach } from '../support/assistant/attachments.ts';
import { openLink } from '../support/assistant/chat.ts';
import { openChatService } from '../support/assistant/chat-service.ts';
import { ALLOW_RECEIVERS, startReceiver } from '../support/events/receiver.ts';
import { inParallel, untilIndexed } from '../support/knowledge/knowledge.ts';
import { makeSpace } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';

const STEPS = FULL ? 600 : 30;
const DOCUMENTS = 24;
const LEVELS = [1, 2, 3, 4];
/**
 * The `sub` of each link of a space. Links with the same `sub` belong to the same user but have different permissions.
 */
const PEOPLE = ['ada', 'ada', 'ada', 'bob', null, null];

interface Written {
  id: string;
  readonly key: string;
  readonly spaceId: string;
  /** 0 if the document is deleted. */
  level: number;
  /** The levels that the document had since it has its current text. */
  levels: number[];
}

/** A text of a document. */
interface Text {
  readonly document: Written;
  /** The levels that the document had while it had this text. */
  readonly levels: readonly number[];
}

interface Visitor {
  readonly linkId: string;
  /** Owner of the conversations of the link. */
  readonly owner: string;
  readonly as: string;
  readonly linkToken: string;
  readonly spaceId: string;
  readonly level: number;
}

/** Returns a function that returns `true` at its first call and at every n-th call after it. */
function every(n: number): () => boolean {
  let calls = 0;
  return () => calls++ % n === 0;
}

/** Name of the tool of the bot of a space. */
const toolOf = (spaceId: string) => `lamps_${spaceId.slice(-8)}`;

test('random questions, reads, changes and deletions never reveal a document, a file or the result of a tool that the link cannot see', async (t) => {
  const random = seeded(SEED);
  await using service = await openChatService({
    env: {
      ...ALLOW_RECEIVERS,
      GATEHOUSE_RATE_LIMIT_ATTACHMENTS: '0',
      GATEHOUSE_ATTACHMENTS_CONVERSATION: '100',
    },
  });
  await using backend = await startReceiver();
  const { client, session, model } = service;
  const documents: Written[] = [];
  /** The documents about which a narrow question was asked. */
  const askedAbout: Written[] = [];
  /** Texts of documents, by the unique marker word in them. */
  const texts = new Map<string, Text>();
  const visitors: Visitor[] = [];
  /** The highest level that the filter of each space permits. */
  const ceilings = new Map<string, number>();
  const conversations = new Set<string>();
  /** Attachments by the unique word in their text, with the owner and the chat of their conversation. */
  const attached = new Map<string, { owner: string; chat: string; part: FilePart }>();
  /** Owners of the results of tools, by the unique word in the result. */
  const results = new Map<string, string>();
  // Chance alone would leave one of these out of a short campaign.
  const attaches = every(4);
  const searches = every(4);
  const callsTool = every(3);
  const replaces = every(4);
  const publishes = every(2);
  const narrows = every(3);
  let revealed = 0;
  let revealedEarlier = 0;
  let revealedFiles = 0;
  let revealedResults = 0;
  let suggested = 0;
  let hidden = 0;

  // The result of a tool is only for the person whose link called it.
  backend.behave(({ text }) => {
    const { data } = JSON.parse(text) as { data: { link: { id: string } } };
    const word = `result${results.size}x`;
    results.set(word, visitors.find(({ linkId }) => linkId === data.link.id)?.owner ?? '');
    return { status: 200, body: JSON.stringify({ word }) };
  });
  for (const { id: spaceId, botId } of [service.space, await makeSpace(client, session)]) {
    const tool = { name: toolOf(spaceId), description: 'Counts lamps.', consent: false };
    const made = await client(`/bots/${botId}/tools`, {
      as: session,
      body: { ...tool, url: backend.url, inputSchema: { type: 'object' } },
    });
    assert.equal(made.status, 201, made.text);
    await inParallel([...Array(DOCUMENTS).keys()], 4, async (n) => {
      const document = {
        id: '',
        key: `lamp-${n}`,
        spaceId,
        level: random.pick(LEVELS),
        levels: [],
      };
      documents.push(document);
      await write(document);
    });
    await untilIndexed(client, session, spaceId);
    const shuffled = LEVELS.toSorted(() => random.below(2) - 0.5);
    for (const [n, sub] of PEOPLE.entries()) {
      // The links of a person have different levels.
      const level = shuffled[n % LEVELS.length] ?? 1;
      const permissionFilter = { level: { lte: level } };
      const link = { spaceId, permissionFilter, ...(sub === null ? {} : { sub }) };
      const opened = await openLink(client, session, link);
      visitors.push({ ...opened, owner: `${spaceId} ${sub ?? opened.linkId}`, spaceId, level });
    }
  }

  /** Writes a new text of a document. */
  async function write(document: Written): Promise<void> {
    const { key, spaceId, level } = document;
    // The words are so different that a search for one does not find another as a misspelling.
    const marker = `marker${createHash('sha256').update(`${texts.size}`).digest('hex').slice(0, 12)}x`;
    document.levels = [level];
    texts.set(marker, { document, levels: document.levels });
    // The heading is suggested as a further question.
    const markdown = `# Lamps ${marker}\n\nLamps: ${marker}.`;
    const body = { fileName: `${marker}.md`, markdown, metadata: { level } };
    const path = `/spaces/${spaceId}/documents/by-key/${key}`;
    const answer = await client(path, { method: 'PUT', as: session, body });
    assert.ok(answer.status === 201 || answer.status === 200, answer.text);
    document.id = String(answer.json['id']);
  }

  /** Counts the documents that a text reveals. Fails if the link must not see one of these documents. */
  function check(text: string, visitor: Visitor, where: string, chat?: string): void {
    for (const [word] of text.matchAll(/attached\w+x/g)) {
      const file = attached.get(word);
      const isOwn = file?.owner === visitor.owner && (chat === undefined || chat === file.chat);
      assert.ok(isOwn, `${word} was revealed ${where}, seed ${SEED}`);
      revealedFiles += 1;
    }
    for (const [word] of text.matchAll(/result\d+x/g)) {
      assert.equal(results.get(word), visitor.owner, `${word} was revealed ${where}, seed ${SEED}`);
      revealedResults += 1;
    }
    for (const [marker] of text.matchAll(/marker\w+x/g)) {
      const { document, levels } = texts.get(marker) ?? assert.fail(marker);
      const { spaceId, level } = document;
      const ceiling = Math.min(visitor.level, ceilings.get(spaceId) ?? Number.POSITIVE_INFINITY);
      const isAllowed = spaceId === visitor.spaceId && level > 0 && level <= ceiling;
      assert.ok(isAllowed, `${marker} was revealed ${where}, seed ${SEED}`);
      // An earlier text of the document may have been secret.
      const wasAllowed = levels.some((one) => one <= visitor.level);
      assert.ok(wasAllowed, `an earlier text, ${marker}, was revealed ${where}, seed ${SEED}`);
      if (levels !== document.levels) revealedEarlier += 1;
      revealed += 1;
    }
  }

  /**
   * Returns the marker word of a random document in upper case. Search ignores case, so the word still matches the
   * document, but checks for revealed markers do not detect it.
   */
  const guess = () => random.pick([...texts.keys()]).toUpperCase();

  /** Returns the marker word of a random document that the visitor can see, in upper case. */
  function currentText({ spaceId, level }: Visitor): string {
    const visible = [...texts].filter(
      ([, { document, levels }]) =>
        document.spaceId === spaceId &&
        document.levels === levels &&
        document.level > 0 &&
        document.level <= level,
    );
    if (visible.length === 0) return 'the lamp';
    const [marker, { document }] = random.pick(visible);
    askedAbout.push(document);
    return marker.toUpperCase();
  }

  // The model repeats all markers in the prompt, sometimes searches for other markers, and sometimes calls the tool of the bot.
  model.behave(({ text, toolChoice, tools }) => {
    if (tools.length > 0 && toolChoice !== 'none' && searches())
      return { does: 'search', queries: ['lamps', guess()] };
    const tool = tools.find((name) => name.startsWith('lamps_'));
    if (tool !== undefined && toolChoice !== 'none' && callsTool())
      return { does: 'call', calls: [{ name: tool, input: {} }] };
    const markers = new Set(text.match(/(?:marker|attached|result)\w+x/g));
    return {
      does: 'answer',
      pieces: [...markers, 'Done [1] [2] [3] [9].'].map((one) => `${one} `),
    };
  });

  /** The chat of each conversation, by its owner and ID. */
  const chats = new Map<string, string>();
  const chatOf = ({ owner }: Visitor, id: string) => chats.get(`${owner} ${id}`) ?? id;

  async function attachTo(visitor: Visitor, chatId: string, chat: string): Promise<FilePart> {
    const word = `attached${attached.size}x`;
    const content = `Lamps of the visitor: ${word}.`;
    const { part } = await attach(service.url, visitor.as, chatId, { name: 'own.txt', content });
    attached.set(word, { owner: visitor.owner, chat, part });
    return part;
  }

  async function ask(visitor: Visitor): Promise<void> {
    // The answer to a question about one document in a new chat depends on no other document.
    const isNarrow = narrows();
    const open = random.below(3) > 0 ? [...conversations, 'new'] : ['mine'];
    const chat = isNarrow ? 'new' : random.pick(open);
    const again = random.below(4) === 0 ? { trigger: 'regenerate-message' } : {};
    const questions = ['Which lamps?', 'Say that again.', 'And the other lamps?'];
    const text = isNarrow ? `Where is ${currentText(visitor)}?` : random.pick(questions);
    const id = random.pick(['a', 'b', 'c']);
    const chatId = chat === 'new' ? `chat ${conversations.size}` : chat;
    const named = chatOf(visitor, chatId);
    const parts: FilePart[] = [];
    if (attaches()) parts.push(await attachTo(visitor, chatId, named));
    // A question also names attachments of other people and conversations.
    const foreign = random.below(4) === 0 ? random.pick([...attached.values(), null]) : null;
    if (foreign !== null) parts.push(foreign.part);
    const messages = [{ id, role: 'user', parts: [{ type: 'text', text }, ...parts] }];
    const shownBefore = model.requests.length;
    const body = { id: chatId, messages, ...again };
    const answer = await client('/chat', { as: visitor.as, body });
    const isForeign =
      foreign !== null && (foreign.owner !== visitor.owner || foreign.chat !== named);
    if (answer.status === 400) assert.match(answer.text, /"chat.attachment-gone"/);
    else if (answer.status === 409) assert.match(answer.text, /"chat.newer-question"/);
    else assert.equal(answer.status, isForeign ? 400 : 200, answer.text);
    check(answer.text, visitor, 'in an answer', named);
    if (answer.text.includes('"suggestions":')) suggested += 1;
    for (const request of model.requests.slice(shownBefore)) {
      check(request.text, visitor, 'to the model', named);
      for (const name of request.tools)
        if (name.startsWith('lamps_')) assert.equal(name, toolOf(visitor.spaceId));
    }
    const [, conversation] = /"conversationId":"([^"]+)"/.exec(answer.text) ?? [];
    if (conversation === undefined) return;
    conversations.add(conversation);
    chats.set(`${visitor.owner} ${conversation}`, named);
  }

  async function open(visitor: Visitor, ids: Iterable<string>): Promise<void> {
    const { as, linkToken } = visitor;
    check((await client('/chat/conversations', { as })).text, visitor, 'in the list');
    for (const id of ids) {
      const { text } = await client(`/chat/conversations/${id}`, { as });
      check(text, visitor, 'in a conversation', chats.get(`${visitor.owner} ${id}`));
      hidden += text.split('"hidden"').length - 1;
    }
    const { text } = await client('/assistant-link/exchange', { body: { linkToken } });
    check(text, visitor, 'by the exchange');
  }

  async function change(): Promise<void> {
    const secret = askedAbout.findLast(({ level }) => level > 1);
    const document =
      secret !== undefined && publishes()
        ? secret
        : random.pick(documents.filter(({ level }) => level > 0));
    const path = `/spaces/${document.spaceId}/documents/${document.id}`;
    document.level = document === secret ? 1 : random.below(5) === 0 ? 0 : random.pick(LEVELS);
    if (document === secret || (document.level > 0 && replaces())) {
      await write(document);
      await untilIndexed(client, session, document.spaceId);
      return;
    }
    if (document.level > 0) document.levels.push(document.level);
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
    `seed ${SEED}: ${revealed} documents (${revealedEarlier} times an earlier text), ${revealedFiles} files and ${revealedResults} results revealed, ${hidden} hidden, ${conversations.size} conversations`,
  );
  assert.ok(revealedFiles > STEPS / 10 && suggested > 0);
  assert.ok(results.size > 0 && revealedResults > results.size);
  assert.ok(revealed > 5 * STEPS && hidden > (FULL ? STEPS / 6 : 0));
  assert.ok(revealedEarlier > 0 || !FULL);
});
