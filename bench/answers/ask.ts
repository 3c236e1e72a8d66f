import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import {
  Chat,
  citedBy,
  openLink,
  textOf,
} from '../../packages/server/tests/support/assistant/chat.ts';
import { type Client, clientOf } from '../../packages/server/tests/support/http/client.ts';
import { untilIndexed } from '../../packages/server/tests/support/knowledge/knowledge.ts';
import { makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import { startInProcess } from '../../packages/server/tests/support/services/in-process-service.ts';
import { temporaryDirectory } from '../../packages/server/tests/support/services/service.ts';
import type { JudgedQuestion, View } from './collection.ts';

export interface GivenAnswer {
  readonly text: string;
  /** File names of the cited documents. */
  readonly cited: readonly string[];
}

const EXAMPLES = new URL('../../examples/', import.meta.url);
const OWN = new URL('documents/', import.meta.url);

/** The link of the second collection. The widget has no locale, so that the question alone decides the language. */
const BIKES_LINK = {
  widget: {
    title: 'Kestrel help',
    greeting: 'Hello! Ask me about renting, buying and repairing bikes.',
    suggestions: ['How long does a full service take?', 'How much is the cargo bike?'],
  },
};

/**
 * Starts the service without a model on a temporary directory, uploads both collections, and asks the questions over HTTP. Each
 * question has its own conversation.
 *
 * @returns the answers in the order of the questions.
 */
export async function ask(questions: readonly JudgedQuestion[]): Promise<GivenAnswer[]> {
  using directory = temporaryDirectory();
  const service = await startInProcess(directory.path, {
    env: { GATEHOUSE_RATE_LIMIT_CHAT: '0' },
  });
  try {
    const client = clientOf(service.url);
    const session = await signIn(client);
    const views = await openViews(client, service.url, session);
    const answers: GivenAnswer[] = [];
    for (const { id, view, before = [], question } of questions) {
      const chat = new Chat(service.url, views[view], id);
      for (const earlier of before) await chat.ask(earlier);
      const answer = await chat.ask(question);
      answers.push({ text: textOf(answer), cited: citedBy(answer) });
    }
    return answers;
  } finally {
    await service.stop();
  }
}

/** Uploads the documents. Returns a widget session for each view. */
async function openViews(
  client: Client,
  url: string,
  session: string,
): Promise<Record<View, string>> {
  const shop = await makeSpace(client, session);
  const bikes = await makeSpace(client, session);
  for (const { file, metadata } of readJson<{ file: string; metadata: object }[]>(
    'documents/index.json',
  ))
    await upload(url, session, shop.id, new URL(`documents/${file}`, EXAMPLES), metadata);
  for (const file of readdirSync(OWN).toSorted())
    await upload(url, session, bikes.id, new URL(file, OWN), {});
  for (const { id } of [shop, bikes]) await untilIndexed(client, session, id);
  const open = async (spaceId: string, link: object) =>
    (await openLink(client, session, { ...link, spaceId })).as;
  return {
    customer: await open(shop.id, readJson('access-link.json')),
    staff: await open(shop.id, readJson('staff-link.json')),
    bikes: await open(bikes.id, BIKES_LINK),
  };
}

async function upload(url: string, as: string, spaceId: string, file: URL, metadata: object) {
  const form = new FormData();
  form.set('file', new File([readFileSync(file)], file.pathname.split('/').at(-1) ?? ''));
  form.set('metadata', JSON.stringify(metadata));
  const response = await fetch(`${url}/spaces/${spaceId}/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}` },
    body: form,
  });
  assert.equal(response.status, 201, await response.text());
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, EXAMPLES), 'utf8')) as T;
}
