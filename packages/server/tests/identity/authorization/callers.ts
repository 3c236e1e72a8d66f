import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '@gatehouse/contract';
import type { Client } from '../../support/http/client.ts';
import {
  exchangeLink,
  giveRole,
  type MadeSpace,
  type MadeUser,
  makeKey,
  makeLink,
  makeSpace,
  makeUser,
  signIn,
} from '../../support/provision.ts';
import { ADMIN } from '../../support/services/service.ts';
import { stored } from '../../support/storage/stored.ts';
import type { CallerName } from './matrix.ts';

/** The URL that clients use. */
export const ORIGIN = 'https://gate.example';

/** Bearer token of each caller, or the cookie of a console session. */
export type Credentials = Readonly<Record<CallerName, string | undefined>>;

export interface World {
  /** The administrator's session. */
  readonly admin: string;
  /** The space of the callers' roles and keys. */
  readonly space: MadeSpace;
  /** Users with a role on the space's bot. */
  readonly members: readonly {
    readonly userId: string;
    readonly role: 'viewer' | 'editor' | 'owner';
  }[];
  readonly credentials: Credentials;
}

export const ALL_SCOPES: readonly Scope[] = [
  'links:write',
  'events:write',
  'knowledge:write',
  'read',
  'conversations:read',
  'conversations:write',
];

/** Creates all callers. The session `expd` is still active until `expireSession` runs. */
export async function makeWorld(client: Client): Promise<World> {
  const admin = await signIn(client);
  const space = await makeSpace(client, admin);
  const other = await makeSpace(client, admin, { name: 'Other' });
  const { session, members } = await makePeople(client, admin, space, other);
  const keys = await makeKeys(client, admin, space.id, other.id);
  const widgets = await makeWidgetSessions(client, admin, space.id, other.id);
  return {
    admin,
    space,
    members,
    credentials: {
      none: undefined,
      bad: 'two tokens',
      unkn: 'gh_4fTqZk3v0q1bN8yT5rWc7hXe2uJm4sLp6oDa9gFiQxY',
      admn: admin,
      ...session,
      ...keys,
      ...widgets,
    },
  };
}

const NAMES = [
  'viewer',
  'editor',
  'owner',
  'disabled',
  'console',
  'forged',
  'neighbour',
  'stranger',
  'outsider',
];

async function makePeople(
  client: Client,
  admin: string,
  { id, botId }: MadeSpace,
  other: MadeSpace,
) {
  const [view, edit, ownr, disa, cons, csrf, nebr, strg, ownx] = await Promise.all(
    NAMES.map((name) => makeUser(client, admin, name, ADMIN.password)),
  );
  if (!view || !edit || !ownr || !disa || !cons || !csrf || !nebr || !strg || !ownx)
    throw new Error('A user is missing.');
  const members = [
    { userId: view.id, role: 'viewer' },
    { userId: edit.id, role: 'editor' },
    { userId: ownr.id, role: 'owner' },
    { userId: disa.id, role: 'owner' },
    { userId: cons.id, role: 'owner' },
    { userId: csrf.id, role: 'owner' },
  ] as const;
  for (const { userId, role } of members) await giveRole(client, admin, botId, userId, role);
  const bot = await client(`/spaces/${id}/bots`, { as: admin, body: { name: 'Another' } });
  await giveRole(client, admin, Number(bot.json['id']), nebr.id, 'owner');
  await giveRole(client, admin, other.botId, ownx.id, 'owner');
  const session = {
    view: await signIn(client, view),
    edit: await signIn(client, edit),
    ownr: await signIn(client, ownr),
    nebr: await signIn(client, nebr),
    strg: await signIn(client, strg),
    ownx: await signIn(client, ownx),
    disa: await signIn(client, disa),
    expd: await signIn(client, ownr),
    gone: await signIn(client, ownr),
  };
  const cookies = { cons: await openConsole(client, cons), csrf: await openConsole(client, csrf) };
  await client(`/users/${disa.id}`, { method: 'PATCH', as: admin, body: { disabled: true } });
  await client('/auth/sign-out', { method: 'POST', as: session.gone });
  return {
    session: { ...session, ...cookies },
    members: members.filter(({ userId }) => userId !== disa.id),
  };
}

/** Signs a user in to the console. Returns the cookie as in a `Cookie` header. */
async function openConsole(client: Client, { email }: MadeUser): Promise<string> {
  const { headers } = await client('/console/session', {
    body: { email, password: ADMIN.password },
    headers: { origin: ORIGIN },
  });
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** Returns the headers that a browser sends with the cookie of a console session. */
export function cookieHeaders(caller: CallerName, cookie = ''): Readonly<Record<string, string>> {
  return caller === 'csrf'
    ? { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    : { cookie, origin: ORIGIN, 'sec-fetch-site': 'same-origin' };
}

async function makeKeys(client: Client, admin: string, spaceId: string, otherId: string) {
  const revk = await makeKey(client, admin, spaceId, ALL_SCOPES);
  const keys = await client(`/spaces/${spaceId}/api-keys`, { as: admin });
  const [{ id }] = keys.json['items'] as [{ id: string }];
  await client(`/spaces/${spaceId}/api-keys/${id}`, { method: 'DELETE', as: admin });
  return {
    revk,
    expk: await makeExpiredKey(client, admin, spaceId),
    othr: await makeKey(client, admin, otherId, ALL_SCOPES),
    link: await makeKey(client, admin, spaceId, ['links:write']),
    evnt: await makeKey(client, admin, spaceId, ['events:write']),
    know: await makeKey(client, admin, spaceId, ['knowledge:write']),
    read: await makeKey(client, admin, spaceId, ['read']),
    conv: await makeKey(client, admin, spaceId, ['conversations:read']),
    answ: await makeKey(client, admin, spaceId, ['conversations:write']),
  };
}

/** Creates a key with a short lifetime and waits until the key has expired. */
async function makeExpiredKey(client: Client, admin: string, spaceId: string): Promise<string> {
  const expiresAt = new Date(Date.now() + 1500);
  const body = { name: 'short', scopes: ALL_SCOPES, expiresAt: expiresAt.toISOString() };
  const answer = await client(`/spaces/${spaceId}/api-keys`, { as: admin, body });
  await sleep(expiresAt.getTime() - Date.now() + 1);
  return String(answer.json['key']);
}

async function makeWidgetSessions(client: Client, admin: string, spaceId: string, otherId: string) {
  const live = await makeLink(client, admin, { spaceId });
  const ended = await makeLink(client, admin, { spaceId });
  const widg = await exchangeLink(client, live.token);
  const wrev = await exchangeLink(client, ended.token);
  const foreign = await makeLink(client, admin, { spaceId: otherId });
  const widx = await exchangeLink(client, foreign.token);
  await client(`/assistant-link/${ended.id}`, { method: 'DELETE', as: admin });
  return { widg, wrev, widx };
}

/** Sets the expiry of a session to the past in the database of a stopped service. */
export async function expireSession(dataDir: string, token: string): Promise<void> {
  const changed = await stored(
    dataDir,
    'update sessions set expires_at = ? where token = ? returning id',
    new Date(Date.now() - 1000).toISOString(),
    createHash('sha256').update(token).digest('hex'),
  );
  if (changed.length !== 1) throw new Error('The session is not in the database.');
}
