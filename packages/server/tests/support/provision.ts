import assert from 'node:assert/strict';
import type { Role, Scope } from '@gatehouse/contract';
import type { Client } from './http/client.ts';
import { ADMIN } from './services/service.ts';

/** Signs in a user, by default the first administrator, and returns the session token. */
export async function signIn(
  client: Client,
  { email, password }: { email: string; password: string } = ADMIN,
): Promise<string> {
  const answer = await client('/auth/sign-in/email', { body: { email, password } });
  assert.equal(answer.status, 200, answer.text);
  return String(answer.json['token']);
}

export interface MadeSpace {
  readonly id: string;
  readonly botId: number;
}

export async function makeSpace(
  client: Client,
  session: string,
  space: { name?: string; allowedOrigins?: string[] } = {},
): Promise<MadeSpace> {
  const answer = await client('/spaces', { as: session, body: { name: 'Shop', ...space } });
  assert.equal(answer.status, 201, answer.text);
  return { id: String(answer.json['id']), botId: Number(answer.json['defaultBotId']) };
}

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

export interface MadeUser {
  readonly id: string;
  readonly email: string;
  readonly password: string;
}

/** Creates a user whose email address derives from the name. `as` is an administrator's session token. */
export async function makeUser(
  client: Client,
  as: string,
  name: string,
  password = `${name}-password-1234`,
): Promise<MadeUser> {
  const user = { email: `${name}@example.com`, name, password };
  const answer = await client('/users', { as, body: user });
  assert.equal(answer.status, 201, answer.text);
  return { id: String(answer.json['id']), ...user };
}

export async function giveRole(
  client: Client,
  as: string,
  botId: number,
  userId: string,
  role: Role,
): Promise<void> {
  const path = `/bots/${botId}/members/${userId}`;
  const answer = await client(path, { method: 'PUT', as, body: { role } });
  assert.equal(answer.status, 200, answer.text);
}

export interface MadeLink {
  readonly id: string;
  readonly token: string;
  readonly url: string;
}

/** Creates an access link. `as` is a session token or an API key, and `link` is the request body. */
export async function makeLink(client: Client, as: string, link: object): Promise<MadeLink> {
  const answer = await client('/assistant-link', { as, body: link });
  assert.equal(answer.status, 200, answer.text);
  const { token, url } = answer.json;
  const id = answer.headers.get('location')?.split('/').at(-1) ?? '';
  return { id, token: String(token), url: String(url) };
}

export async function exchangeLink(client: Client, linkToken: string): Promise<string> {
  const answer = await client('/assistant-link/exchange', { body: { linkToken } });
  assert.equal(answer.status, 200, answer.text);
  return String(answer.json['accessToken']);
}
