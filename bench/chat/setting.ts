import { join } from 'node:path';
import type { Client } from '../../packages/server/tests/support/http/client.ts';
import { exchangeLink, makeLink } from '../../packages/server/tests/support/provision.ts';
import {
  type ChildServer,
  startChild,
} from '../../packages/server/tests/support/services/child-server.ts';

/** Behaviour of the model. Times are in milliseconds. */
export interface ModelOptions {
  /** Delay before the first part. */
  readonly firstMs: number;
  /** Delay before each following part. */
  readonly pauseMs: number;
  readonly parts: number;
  /** Text of each part. Default: the time at which the part is sent. */
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

export function settingsFor(model: ChildServer): Record<string, string> {
  return {
    GATEHOUSE_MODEL_URL: `${model.url}/v1`,
    GATEHOUSE_MODEL_NAME: 'm',
    GATEHOUSE_RATE_LIMIT_CHAT: '0',
    GATEHOUSE_RATE_LIMIT_CHAT_LINK: '0',
  };
}

export async function openSessions(client: Client, key: string, count: number): Promise<string[]> {
  const sessions: string[] = [];
  for (let person = 0; person < count; person++) {
    const link = await makeLink(client, key, { sub: `person-${person}` });
    sessions.push(await exchangeLink(client, link.token));
  }
  return sessions;
}

let chats = 0;

/** A chat, with the attachments of the question. */
export interface AskedChat {
  readonly id: string;
  readonly parts: readonly object[];
}

/** Returns a request that asks a question, by default in a new chat. */
export function question(
  session: string,
  text: string,
  pageTools: readonly object[] = [],
  chat?: AskedChat,
  resumable = false,
): string {
  chats += 1;
  const { id, parts } = chat ?? { id: `chat-${chats}`, parts: [] };
  const messages = [{ id: `q${chats}`, role: 'user', parts: [{ type: 'text', text }, ...parts] }];
  return post('/chat', { id, messages, pageTools, resumable }, session);
}

/** Text before a part in the service's stream. */
export const MARK = '"delta":"';

export function bareQuestion(text: string): string {
  const messages = [{ role: 'user', content: text }];
  return post('/v1/chat/completions', { model: 'm', stream: true, messages });
}

/** Text before a part in the model's stream. */
export const BARE_MARK = '"content":"';

function post(path: string, body: object, session?: string): string {
  const text = JSON.stringify(body);
  const credential = session === undefined ? '' : `authorization: Bearer ${session}\r\n`;
  const length = Buffer.byteLength(text);
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${credential}content-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`;
}
