import { join } from 'node:path';
import { type ChildServer, startChild } from '../../packages/server/tests/support/child-server.ts';
import type { Client } from '../../packages/server/tests/support/client.ts';
import { exchangeLink, makeLink } from '../../packages/server/tests/support/provision.ts';

/** How a model answers; milliseconds. */
export interface ModelOptions {
  /** Until the first part. */
  readonly firstMs: number;
  /** Before each other part. */
  readonly pauseMs: number;
  readonly parts: number;
  /** What each part says; the moment in which it was sent, when nothing is given. */
  readonly word?: string;
}

export function startModel({ firstMs, pauseMs, parts, word }: ModelOptions): Promise<ChildServer> {
  return startChild(join(import.meta.dirname, 'model.ts'), {
    env: {
      MODEL_FIRST_MS: String(firstMs),
      MODEL_PAUSE_MS: String(pauseMs),
      MODEL_PARTS: String(parts),
      ...(word === undefined ? {} : { MODEL_WORD: word }),
    },
  });
}

/** Settings of a service that this model answers for, and that nobody asks too often. */
export function settingsFor(model: ChildServer): Record<string, string> {
  return {
    GATEHOUSE_MODEL_URL: `${model.url}/v1`,
    GATEHOUSE_MODEL_NAME: 'm',
    GATEHOUSE_RATE_LIMIT_CHAT: '0',
    GATEHOUSE_RATE_LIMIT_CHAT_LINK: '0',
  };
}

/** Sessions of as many people, each behind a link of their own. */
export async function openSessions(client: Client, key: string, count: number): Promise<string[]> {
  const sessions: string[] = [];
  for (let person = 0; person < count; person++) {
    const link = await makeLink(client, key, { sub: `person-${person}` });
    sessions.push(await exchangeLink(client, link.token));
  }
  return sessions;
}

let chats = 0;

/** A question as the widget sends it, in a conversation of its own. */
export function question(session: string, text: string): string {
  chats += 1;
  const messages = [{ id: 'q', role: 'user', parts: [{ type: 'text', text }] }];
  return post('/chat', { id: `chat-${chats}`, messages }, session);
}

/** What stands before a part of our answers. */
export const MARK = '"delta":"';

/** A question as the model is asked it. */
export function bareQuestion(text: string): string {
  const messages = [{ role: 'user', content: text }];
  return post('/v1/chat/completions', { model: 'm', stream: true, messages });
}

/** What stands before a part of the model's answers. */
export const BARE_MARK = '"content":"';

function post(path: string, body: object, session?: string): string {
  const text = JSON.stringify(body);
  const credential = session === undefined ? '' : `authorization: Bearer ${session}\r\n`;
  const length = Buffer.byteLength(text);
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${credential}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`;
}
