/**
 * Readers on all paths run while a right ends at a random moment. No request that starts after the response to the change may contain
 * what the change forbids, on any replica, and running answers end.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FULL, SEED } from '@gatehouse/filter/tests/campaign';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { startFakeModel } from '../support/assistant/fake-model.ts';
import { type Client, clientOf, type Send } from '../support/http/client.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import {
  exchangeLink,
  giveRole,
  makeKey,
  makeLink,
  makeSpace,
  makeUser,
  signIn,
} from '../support/provision.ts';
import { type Seeded, seeded } from '../support/seeded.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';
import { startReplicas } from '../support/storage/replicas.ts';

const ROUNDS = FULL ? 120 : 3;
const CHAT = 'chat of the browser';

type Request = readonly [path: string, send: Send];
type Reader = 'link' | 'key' | 'user';

interface Round {
  readonly spaceId: string;
  readonly botId: number;
  readonly secret: string;
  readonly sub: string;
  readonly documentId: string;
  readonly link: { readonly id: string; readonly token: string; readonly as: string };
  readonly conversationId: string;
  readonly key: { readonly id: string; readonly as: string };
  readonly user: { readonly id: string; readonly as: string };
}

interface Kind {
  /** The readers that lose the right. */
  readonly readers: readonly Reader[];
  /** `true` if the credential of these readers is rejected from now on. */
  readonly endsCredential: boolean;
  readonly change: (round: Round) => Request;
}

const patch = (body: object): Send => ({ method: 'PATCH', body });
const REMOVE: Send = { method: 'DELETE' };
const documentOf = ({ spaceId, documentId }: Round) => `/spaces/${spaceId}/documents/${documentId}`;

const KINDS: Readonly<Record<string, Kind>> = {
  'a revoked link': {
    readers: ['link'],
    endsCredential: true,
    change: ({ link }) => [`/assistant-link/${link.id}`, REMOVE],
  },
  'the revoked links of a person': {
    readers: ['link'],
    endsCredential: true,
    change: ({ spaceId, sub }) => [`/assistant-link?spaceId=${spaceId}&sub=${sub}`, REMOVE],
  },
  'an erased person': {
    readers: ['link'],
    endsCredential: true,
    change: ({ spaceId, sub }) => [`/spaces/${spaceId}/subjects/${sub}`, REMOVE],
  },
  'a changed filter of the space': {
    readers: ['link'],
    endsCredential: false,
    change: ({ spaceId, secret }) => [
      `/spaces/${spaceId}`,
      patch({ permissionFilter: { secret: { ne: secret } } }),
    ],
  },
  'changed metadata': {
    readers: ['link'],
    endsCredential: false,
    change: (round) => [documentOf(round), patch({ metadata: { secret: 'other' } })],
  },
  'a deleted document': {
    readers: ['link', 'key', 'user'],
    endsCredential: false,
    change: (round) => [documentOf(round), REMOVE],
  },
  'a revoked key': {
    readers: ['key'],
    endsCredential: true,
    change: ({ spaceId, key }) => [`/spaces/${spaceId}/api-keys/${key.id}`, REMOVE],
  },
  'a removed member': {
    readers: ['user'],
    endsCredential: true,
    change: ({ botId, user }) => [`/bots/${botId}/members/${user.id}`, REMOVE],
  },
  'a disabled user': {
    readers: ['user'],
    endsCredential: true,
    change: ({ user }) => [`/users/${user.id}`, patch({ disabled: true })],
  },
  'ended sessions of a user': {
    readers: ['user'],
    endsCredential: true,
    change: ({ user }) => [`/users/${user.id}/sessions`, REMOVE],
  },
};

/** Returns the requests with which a reader can see the secret document. Those of people who run the space also see conversations. */
function pathsOf(reader: Reader, round: Round, hasSecretAnswers: boolean): Request[] {
  const { spaceId, link, conversationId } = round;
  const { as } = round[reader];
  const document = documentOf(round);
  const shared: Request[] = [
    [`/spaces/${spaceId}/search`, { as, body: { query: 'lamp' } }],
    [`/spaces/${spaceId}/documents?limit=200`, { as }],
    [document, { as }],
    [`${document}/passages`, { as }],
    [`${document}/content`, { as }],
  ];
  if (reader !== 'link') {
    const conversation = `/spaces/${spaceId}/conversations/${conversationId}`;
    return hasSecretAnswers && reader === 'user' ? [...shared, [conversation, { as }]] : shared;
  }
  const call = { name: 'search', arguments: { query: 'lamp' } };
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
  const headers = { accept: 'application/json, text/event-stream' };
  const parts = [{ type: 'text', text: 'Which lamp?' }];
  return [
    ...shared,
    ['/mcp', { as, headers, body: rpc }],
    ['/mcp', { as: link.token, headers, body: rpc }],
    ['/chat', { as, body: { messages: [{ role: 'user', parts }] } }],
    [`/chat/conversations/${conversationId}`, { as }],
    [`/chat/${encodeURIComponent(CHAT)}/stream`, { as }],
  ];
}

async function runRounds(clients: readonly Client[], random: Seeded): Promise<number> {
  const any: Client = (path, send) => random.pick(clients)(path, send);
  const admin = await signIn(any);
  let readBefore = 0;

  async function prepare(name: string): Promise<Round> {
    const { id: spaceId, botId } = await makeSpace(any, admin);
    const secret = `secret${random.below(1e9)}x`;
    const sub = `person-${random.below(1e9)}`;
    const { id: documentId } = await addDocument(any, admin, spaceId, {
      fileName: `${secret}.txt`,
      text: `The lamp is ${secret}.`,
      metadata: { secret },
    });
    const made = await makeLink(any, admin, {
      spaceId,
      sub,
      permissionFilter: { secret: { eq: secret } },
    });
    const link = { ...made, as: await exchangeLink(any, made.token) };
    const keyText = await makeKey(any, admin, spaceId, ['read']);
    const keys = await any(`/spaces/${spaceId}/api-keys`, { as: admin });
    const [{ id: keyId }] = keys.json['items'] as [{ id: string }];
    const person = await makeUser(any, admin, `u${random.below(1e9)}`);
    await giveRole(any, admin, botId, person.id, 'owner');
    const user = { id: person.id, as: await signIn(any, person) };
    const parts = [{ type: 'text', text: 'Which lamp?' }];
    const messages = [{ id: 'q', role: 'user', parts }];
    const asked = await any('/chat', { as: link.as, body: { id: 'first', messages } });
    assert.ok(asked.text.includes(secret), `${name}: ${asked.text}`);
    const conversationId = /"conversationId":"([^"]+)"/.exec(asked.text)?.[1] ?? '';
    const key = { id: keyId, as: keyText };
    return { spaceId, botId, secret, sub, documentId, link, conversationId, key, user };
  }

  async function run(name: string, { readers, endsCredential, change }: Kind): Promise<void> {
    const round = await prepare(name);
    let changedAt = Number.POSITIVE_INFINITY;
    let isOver = false;
    const checkOne = async ([path, send]: Request): Promise<void> => {
      const startedAt = performance.now();
      const { status, text } = await any(path, send);
      const isLate = startedAt > changedAt;
      const message = `${path} after ${name}, seed ${SEED}: ${status} ${text}`;
      if (text.includes(round.secret)) {
        assert.ok(!isLate, message);
        readBefore += 1;
      }
      if (isLate && endsCredential) assert.ok([401, 403, 410].includes(status), message);
    };
    const paths = readers.flatMap((reader) => pathsOf(reader, round, endsCredential));
    const reading = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!isOver) await checkOne(random.pick(paths));
      }),
    );
    // Awaited at the end, even if another check fails first.
    reading.catch(() => {});
    // If the model got the secret, this answer only ends if the service ends it.
    const parts = [{ type: 'text', text: 'Which endless lamp?' }];
    const body = { id: CHAT, resumable: true, messages: [{ id: 'q', role: 'user', parts }] };
    const endless = readers.includes('link') ? any('/chat', { as: round.link.as, body }) : null;
    await sleep(random.below(400));
    const [path, send] = change(round);
    const changed = await any(path, { ...send, as: admin });
    changedAt = performance.now();
    assert.ok(changed.status < 300, `${name}: ${changed.text}`);
    try {
      for (const request of paths) await checkOne(request);
      const text = (await endless)?.text ?? '';
      const isStalled = text.includes('chat.answer-stalled');
      assert.ok(!isStalled, `${name}, seed ${SEED}: the answer ended at its time limit`);
    } finally {
      isOver = true;
    }
    await reading;
  }

  const kinds = Object.entries(KINDS);
  const first = random.below(kinds.length);
  for (let round = 0; round < ROUNDS; round += 1) {
    const [name, kind] = kinds[(first + round) % kinds.length] ?? assert.fail();
    await run(name, kind);
  }
  return readBefore;
}

/** Answers with the secrets in the prompt. If there are any and the question asks for it, the answer is endless. */
async function startEcho() {
  const model = await startFakeModel();
  const ended = new AbortController();
  model.behave(({ text }) => {
    const secrets = [...new Set(text.match(/secret\d+x/g))].map((secret) => `${secret} [1] `);
    const isEndless = /endless/.test(text) && secrets.length > 0;
    async function* pieces() {
      do {
        for (const secret of secrets) yield secret;
        yield 'and ';
        if (isEndless) await sleep(50);
      } while (isEndless && !ended.signal.aborted);
    }
    return { does: 'answer', pieces: pieces() };
  });
  return {
    url: model.url,
    async [Symbol.asyncDispose]() {
      // The model would continue an endless answer whose client is gone, and the process would not end.
      ended.abort();
      await model[Symbol.asyncDispose]();
    },
  };
}

const ENV = {
  GATEHOUSE_MODEL_NAME: 'small',
  GATEHOUSE_RATE_LIMIT_READS_LINK: '0',
  GATEHOUSE_SEARCH_TIME_LINK: '0',
  GATEHOUSE_RATE_LIMIT_CHAT: '0',
  GATEHOUSE_RATE_LIMIT_SIGN_IN: '0',
};

test('no request that starts after a right has ended sees what it must not see', async (t) => {
  await using model = await startEcho();
  using directory = temporaryDirectory();
  const env = { ...ENV, GATEHOUSE_MODEL_URL: model.url };
  await using service = await startService(directory.path, { env });
  const read = await runRounds([clientOf(service.url)], seeded(SEED));
  t.diagnostic(`seed ${SEED}: ${read} responses with the secret before the changes`);
  assert.ok(read > 0);
});

test('the same is true if another replica ends the right', {
  skip: postgresIsMissing,
}, async (t) => {
  await using model = await startEcho();
  await using replicas = await startReplicas(2, { ...ENV, GATEHOUSE_MODEL_URL: model.url });
  const clients = replicas.services.map(({ url }) => clientOf(url));
  const read = await runRounds(clients, seeded(SEED));
  t.diagnostic(`seed ${SEED}: ${read} responses with the secret before the changes`);
  assert.ok(read > 0);
});
