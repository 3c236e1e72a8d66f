/**
 * Crash test. The process is killed with SIGKILL while visitors and the team write. Afterwards each acknowledged message is stored
 * once, a repeated request stores nothing twice, and each handoff has one event. Each acknowledged attachment is stored as a whole,
 * and no part of another file remains.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConversationWithMessages, FilePart } from '@gatehouse/contract';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { attach, questionWith } from '../support/assistant/attachments.ts';
import { openLink, textOf } from '../support/assistant/chat.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { stored } from '../support/storage/stored.ts';
import { until } from '../support/until.ts';

const ROUNDS = roundsOf(2, 40);
/** Messages of each side. */
const MESSAGES = 40;

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const random = seeded(SEED);
const env = {
  GATEHOUSE_RATE_LIMIT_CHAT: '0',
  GATEHOUSE_RATE_LIMIT_READS_LINK: '0',
  GATEHOUSE_RATE_LIMIT_ATTACHMENTS: '0',
};

interface Party {
  readonly admin: string;
  readonly spaceId: string;
  readonly visitor: string;
  readonly id: string;
}

/** Sends a message as the visitor. A repeated message has the same ID of the client. */
const ask = (client: Client, { visitor, id }: Party, text: string) =>
  client('/chat', {
    as: visitor,
    body: { id, messages: [{ id: text, role: 'user', parts: [{ type: 'text', text }] }] },
  });
const answer = (client: Client, { admin, spaceId, id }: Party, text: string) =>
  client(`/spaces/${spaceId}/conversations/${id}/messages`, {
    as: admin,
    body: { text, author: 'Grace' },
    headers: { 'idempotency-key': `${id} ${text}` },
  });

test(`after ${ROUNDS} kills no acknowledged message and no event is lost or duplicated`, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const rounds: {
    party: Party;
    acknowledged: string[];
    unknown: string[];
    attached: Map<string, FilePart>;
  }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const service = await startService(directory.path, { env });
    const client = clientOf(service.url);
    const admin = await signIn(client);
    const { id: spaceId, botId } = await makeSpace(client, admin);
    await client(`/bots/${botId}`, { method: 'PATCH', as: admin, body: { handoff: {} } });
    const { as: visitor } = await openLink(client, admin, { spaceId, sub: `person-${round}` });
    const begun = await client('/chat/handoff', { as: visitor, body: { id: 'chat' } });
    const party = { admin, spaceId, visitor, id: String(begun.json['conversationId']) };
    const acknowledged: string[] = [];
    const unknown: string[] = [];
    const write = async (send: typeof ask, name: string) => {
      for (let number = 0; number < MESSAGES; number += 1) {
        const text = `${name} ${round} ${number}`;
        const sent = await send(client, party, text).catch(() => null);
        if (sent === null) return void unknown.push(text);
        assert.ok(sent.status < 300, sent.text);
        acknowledged.push(text);
      }
    };
    const attached = new Map<string, FilePart>();
    const attachFile = async (number: number) => {
      const word = `file${round}x${number}`;
      // The larger files are staged in the store while they arrive.
      const space = ' '.repeat(number % 2 === 0 ? 10 : 1_500_000);
      const content = `The invoice ${word} costs 40 euros.\n${space}\nThe end.`;
      const file = { name: 'a.txt', content };
      const sent = await attach(service.url, visitor, `files ${number}`, file).catch(() => null);
      if (sent !== null) attached.set(word, sent.part);
      return sent !== null;
    };
    const attachFiles = async () => {
      for (let number = 1; number < MESSAGES && (await attachFile(number)); number += 1);
    };
    // The first file starts a parser process, which takes longer than the time until the kill.
    assert.ok(await attachFile(0));
    const writing = [write(ask, 'visitor'), write(answer, 'team'), attachFiles()];
    // Both sides are still sending then.
    const number = 1 + random.below(MESSAGES);
    await until(`${number} messages are acknowledged`, () => acknowledged.length >= number);
    await sleep(random.below(20));
    await service.stop('SIGKILL');
    await Promise.all(writing);
    t.diagnostic(
      `${acknowledged.length} acknowledged, ${unknown.length} without a response, ${attached.size} files`,
    );
    rounds.push({ party, acknowledged, unknown, attached });
  }

  await using service = await startService(directory.path, { env });
  const client = clientOf(service.url);
  let files = 0;
  for (const { party, acknowledged, unknown, attached } of rounds) {
    for (const [word, part] of attached) {
      const chat = `files ${word.split('x')[1]}`;
      const body = questionWith(chat, `What does the invoice ${word} cost?`, [part]);
      const { text } = await client('/chat', { as: party.visitor, body });
      assert.ok(text.includes('"filename":"a.txt"') && text.includes(word), text);
      files += 1;
    }
    for (const text of unknown) {
      const send = text.startsWith('team') ? answer : ask;
      // On PostgreSQL, the locks of the killed process expire later.
      let repeated = await send(client, party, text);
      await until(
        'the locks of the killed process have expired',
        async () => {
          if (repeated.status < 300) return true;
          await sleep(500);
          repeated = await send(client, party, text);
          return false;
        },
        90_000,
      );
      assert.ok(repeated.status < 300, repeated.text);
    }
    const { json } = await client(`/chat/conversations/${party.id}`, { as: party.visitor });
    const { messages } = json as unknown as ConversationWithMessages;
    assert.deepEqual(messages.map(textOf).toSorted(), [...acknowledged, ...unknown].toSorted());
    const events = async () => {
      const feed = await client(`/events?spaceId=${party.spaceId}`, { as: party.admin });
      return (feed.json['items'] as { event: { type: string; subject: string } }[]).map(
        ({ event }) => `${event.type} ${event.subject}`,
      );
    };
    await until('the event is in the log', async () => (await events()).length > 0);
    assert.deepEqual(await events(), [`gatehouse.conversation.handoff conversation/${party.id}`]);
  }
  assert.ok(files > 0);
  await assertAttachmentsComplete(files);
});

/** Checks that each stored attachment is complete. Each killed process may leave at most one attachment that was not acknowledged. */
async function assertAttachmentsComplete(acknowledged: number): Promise<void> {
  const rows = await stored(directory.path, 'select passages from attachments');
  for (const { passages } of rows)
    assert.match(
      (JSON.parse(String(passages)) as [{ text: string }])[0].text,
      /^The invoice .*The end\.$/s,
    );
  assert.ok(rows.length >= acknowledged && rows.length <= acknowledged + ROUNDS);
}
