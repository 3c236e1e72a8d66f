import assert from 'node:assert/strict';
import type { Scope } from '@gatehouse/contract';
import type { Client } from './client.ts';
import { ADMIN } from './service.ts';

/** A session of a user; the first administrator's by default. */
export async function signIn(
  client: Client,
  who: { email: string; password: string } = ADMIN,
): Promise<string> {
  const answer = await client('/auth/sign-in/email', { body: who });
  assert.equal(answer.status, 200, answer.text);
  return String(answer.json['token']);
}

export interface MadeSpace {
  readonly id: string;
  readonly botId: number;
}

/** Makes a space, owned by whoever the session is of. */
export async function makeSpace(
  client: Client,
  session: string,
  space: { name?: string; allowedOrigins?: string[] } = {},
): Promise<MadeSpace> {
  const answer = await client('/spaces', { as: session, body: { name: 'Shop', ...space } });
  assert.equal(answer.status, 201, answer.text);
  return { id: String(answer.json['id']), botId: Number(answer.json['defaultBotId']) };
}

/** Makes an API key of a space and gives its text. */
export async function makeKey(
  client: Client,
  session: string,
  spaceId: string,
  scopes: readonly Scope[] = ['links:write', 'events:write', 'read'],
): Promise<string> {
  const answer = await client(`/spaces/${spaceId}/api-keys`, {
    as: session,
    body: { name: 'test', scopes },
  });
  assert.equal(answer.status, 201, answer.text);
  return String(answer.json['key']);
}
