import { randomBytes } from 'node:crypto';
import { eventAuth, webhookHeaders } from '../../support/events/signing.ts';
import type { Client, ClientResponse, Send } from '../../support/http/client.ts';
import { makeSpace, signIn } from '../../support/provision.ts';
import { ADMIN } from '../../support/services/service.ts';
import type { Secrets } from './secrets.ts';
import { expect, useChat } from './use-chat.ts';
import { useKnowledge } from './use-knowledge.ts';

export interface Visit {
  readonly client: Client;
  /** Tokens, keys, passwords and signatures. They must not be printed or stored in plain text. */
  readonly credentials: Secrets;
  /** User data that must not be printed but may be stored in plain text. */
  readonly contents: Secrets;
}

export interface Used {
  readonly session: string;
  readonly key: string;
  readonly linkToken: string;
  readonly widgetSession: string;
}

const made = (what: string) => `${what}-${randomBytes(16).toString('base64url')}`;

/** Sends valid and invalid requests that contain every kind of secret, and records the secrets. */
export async function useEverything(visit: Visit): Promise<Used> {
  const session = await signInRightAndWrong(visit);
  const space = await makeSpace(visit.client, session);
  await makePeople(visit, session);
  const invitation = await invite(visit, session, space.botId);
  const key = await makeKeys(visit, session, space.id);
  const secret = await makeSources(visit, session, space.id);
  await subscribe(visit, session, space.id);
  const linkToken = await makeLink(visit, key);
  const widgetSession = await openWidget(visit, linkToken);
  await useChat(visit, widgetSession, made);
  await sendEvents(visit, key);
  await sendSigned(visit, secret);
  await useKnowledge(visit, session, made);
  await misplace(visit, [session, key, linkToken, invitation]);
  return { session, key, linkToken, widgetSession };
}

async function signInRightAndWrong({ client, credentials }: Visit): Promise<string> {
  credentials.add('password of the administrator', ADMIN.password);
  const password = credentials.add('wrong password', made('wrong-password'));
  const path = '/auth/sign-in/email';
  await expect(401, client(path, { body: { email: ADMIN.email, password } }));
  await expect(401, client(path, { body: { email: 'nobody@example.com', password } }));
  await expect(401, client(path, { body: { email: `${password}@`, password } }));
  await expect(400, client(path, { body: { email: ADMIN.email, passwort: password } }));
  await expect(400, client(path, { body: `{"email":"a","password":"${password}" "}` }));
  return credentials.add('session', await signIn(client));
}

async function makePeople({ client, credentials }: Visit, as: string): Promise<void> {
  const password = credentials.add('password of a user', made('password'));
  const email = 'ada@example.com';
  const user = await expect(201, client('/users', { as, body: { email, name: 'Ada', password } }));
  await expect(409, client('/users', { as, body: { email, name: 'Ada', password } }));
  await expect(400, client('/users', { as, body: { email, password, [password]: 1 } }));
  credentials.add('session', await signIn(client, { email, password }));
  const next = credentials.add('changed password', made('password'));
  const change = { method: 'PATCH', as, body: { password: next } };
  await expect(200, client(`/users/${user.json['id']}`, change));
  credentials.add('session', await signIn(client, { email, password: next }));
}

/** Redeems one-time links, rightly and wrongly. Returns the token of an invitation that was not redeemed. */
async function invite({ client, credentials }: Visit, as: string, botId: number): Promise<string> {
  const path = '/auth/redeem';
  const password = () => credentials.add('password in a redemption', made('password'));
  const tokenOf = ({ json }: ClientResponse) => {
    const token = String(json['url']).split('=')[1] ?? '';
    return credentials.add('token of a one-time link', token);
  };
  const invited = async (name: string) => {
    const body = { email: `${name}@example.com`, role: 'viewer' };
    return tokenOf(await expect(201, client(`/bots/${botId}/members`, { as, body })));
  };
  const token = await invited('bo');
  const bo = { token, name: 'Bo', password: password() };
  await expect(400, client(path, { body: { ...bo, [token]: bo.password } }));
  await expect(400, client(path, { body: `{"token":"${token}","password":"${bo.password}" "}` }));
  await expect(401, client(path, { body: { ...bo, token: `${token}x` } }));
  const { json } = await expect(200, client(path, { body: bo }));
  const session = credentials.add('session', String(json['token']));
  await expect(410, client(path, { body: bo }));

  const { id } = json['user'] as { id: string };
  const reset = await client(`/users/${id}/reset-link`, { method: 'POST', as });
  const next = { currentPassword: bo.password, newPassword: password() };
  const change = { as: session, body: next };
  await expect(
    403,
    client('/auth/change-password', { ...change, body: { ...next, currentPassword: password() } }),
  );
  await expect(204, client('/auth/change-password', change));
  await expect(410, client(path, { body: { token: tokenOf(reset), password: password() } }));
  await expect(200, client('/auth/sessions', { as: session }));
  return invited('cleo');
}

async function makeKeys({ client, credentials }: Visit, as: string, spaceId: string) {
  const path = `/spaces/${spaceId}/api-keys`;
  const body = { name: 'all', scopes: ['links:write', 'events:write', 'read'] };
  const answer = await expect(201, client(path, { as, body }));
  const key = credentials.add('key', String(answer.json['key']));
  await expect(200, client('/spaces', { headers: { 'x-api-key': key } }));
  const unknown = credentials.add('unknown key', `gh_${made('unknown')}`);
  await expect(401, client('/spaces', { as: unknown }));
  await expect(401, client('/spaces', { headers: { 'x-api-key': unknown } }));
  await expect(401, client('/spaces', { as: `${unknown} ${unknown}` }));
  await expect(401, client('/spaces', { headers: { authorization: `Basic ${unknown}` } }));
  await expect(401, client('/spaces', { headers: { 'x-api-key': unknown.slice(3) } }));
  return key;
}

async function makeSources({ client, credentials }: Visit, as: string, spaceId: string) {
  const path = `/spaces/${spaceId}/event-sources`;
  const secret = (size = 32) =>
    credentials.add('event source secret', `whsec_${randomBytes(size).toString('base64')}`);
  const keep = (answer: ClientResponse) => {
    const shown = String(answer.json['secret']);
    credentials.add('event source secret', shown);
    // The part after `whsec_` and the decoded bytes must not be stored either.
    credentials.add('event source secret, bare', shown.slice(6));
    credentials.add(
      'event source secret, hex',
      Buffer.from(shown.slice(6), 'base64').toString('hex'),
    );
    return answer;
  };
  const named = { name: 'shop', source: 'https://shop.example/orders' };
  const { json } = keep(await expect(201, client(path, { as, body: named })));
  const id = String(json['id']);
  await expect(409, client(path, { as, body: { ...named, secret: secret() } }));
  await expect(400, client(path, { as, body: { ...named, secret: secret(10) } }));
  await expect(400, client(path, { as, body: { ...named, secret: [secret()] } }));
  await expect(400, client(path, { as, body: { ...named, [secret()]: secret() } }));
  const given = { ...named, source: 'urn:given', secret: secret() };
  keep(await expect(201, client(path, { as, body: given })));
  keep(await expect(201, client(`${path}/${id}/secrets`, { as, body: { secret: secret() } })));
  const last = keep(await expect(201, client(`${path}/${id}/secrets`, { as, body: {} })));
  await expect(400, client(`${path}/${id}/secrets`, { as, body: { secret: secret(100) } }));
  await expect(200, client(path, { as }));
  await expect(200, client(`${path}/${id}`, { as }));
  return String(last.json['secret']);
}

/** Creates subscriptions whose URLs contain secrets. Their deliveries fail. */
async function subscribe({ client, credentials, contents }: Visit, as: string, spaceId: string) {
  const path = `/spaces/${spaceId}/subscriptions`;
  const url = `https://hooks.invalid/${contents.add('path of a URL', made('path'))}`;
  const secret = () =>
    credentials.add('subscription secret', `whsec_${randomBytes(32).toString('base64')}`);
  const keep = (answer: ClientResponse) => {
    const shown = String(answer.json['secret']);
    credentials.add('subscription secret', shown);
    credentials.add('subscription secret, bare', shown.slice(6));
    return `${path}/${answer.json['id']}`;
  };
  const one = keep(await expect(201, client(path, { as, body: { url } })));
  keep(await expect(201, client(path, { as, body: { url, secret: secret() } })));
  keep(await expect(201, client(`${one}/secrets`, { as, body: { secret: secret() } })));
  await expect(400, client(path, { as, body: { url: `${url}#`, secret: secret().slice(0, 40) } }));
  await expect(400, client(path, { as, body: { url, [secret()]: secret() } }));
  await expect(200, client(`${one}/test`, { method: 'POST', as }));
  await expect(200, client(path, { as }));
  await expect(200, client(`${one}/deliveries`, { as }));
}

async function makeLink({ client, credentials, contents }: Visit, as: string): Promise<string> {
  const link = {
    sub: contents.add('sub', made('sub')),
    email: contents.add('email in a link', `${made('mail')}@example.com`),
    userInformation: { tier: contents.add('userInformation', made('user-information')) },
    context: { page: contents.add('context', made('context')) },
    systemPromptInsertion: contents.add('systemPromptInsertion', made('insertion')),
    permissionFilter: { department: { eq: contents.add('permissionFilter', made('filter')) } },
    loginUrl: `https://shop.example/?ticket=${contents.add('loginUrl', made('ticket'))}`,
  };
  const answer = await expect(200, client('/assistant-link', { as, body: link }));
  const token = credentials.add('link token', String(answer.json['token']));
  const { sub } = link;
  await expect(
    400,
    client('/assistant-link', { as, body: { sub, permissionFilter: { [sub]: sub } } }),
  );
  await expect(400, client('/assistant-link', { as, body: { [sub]: sub, ttlSeconds: sub } }));
  await expect(200, client('/assistant-link', { as, method: 'GET' }));
  await expect(200, client(answer.headers.get('location') ?? '', { as }));
  return token;
}

async function openWidget({ client, credentials }: Visit, token: string): Promise<string> {
  const path = '/assistant-link/exchange';
  const session = await expect(200, client(path, { body: { linkToken: token } }));
  const jwt = credentials.add('widget session', String(session.json['accessToken']));
  for (const part of jwt.split('.').slice(1)) credentials.add('part of a widget session', part);
  await expect(403, client('/spaces', { as: jwt }));
  await expect(401, client('/spaces', { as: `${jwt.slice(0, -4)}AAAA` }));
  await expect(401, client(path, { body: { linkToken: `${token}x` } }));
  await expect(400, client(path, { body: { linkToken: [token] } }));
  await expect(400, client(path, { body: { [token]: token } }));
  await expect(400, client(path, { body: `{"linkToken":"${token}` }));

  for (const known of [token, `${token}${'x'.repeat(100)}`])
    await expect(200, client(`/widget/${known}`));
  for (const wrong of [`/widget/${token}/x`, `/widgets/${token}`, `/${token}?token=${token}`])
    await expect(404, client(wrong));
  await expect(405, client(`/widget/${token}`, { method: 'POST', body: { token } }));
  await expect(400, client(`/widget/${token}%zz`));
  await client(`/widget/${token}${'x'.repeat(8000)}`);
  await client(`/widget/${token}`, { headers: { referer: `https://shop.example/${token}` } });
  return jwt;
}

async function sendEvents({ client, credentials, contents }: Visit, key: string): Promise<void> {
  const data = { card: contents.add('event data', made('event-data')) };
  const event = (members: object = {}) => ({
    specversion: '1.0',
    id: made('id'),
    source: 'https://shop.example/orders',
    type: 'example.order.paid',
    data,
    ...members,
  });
  const signature = credentials.add('signature', `v1,${made('signature')}`);
  const unknown = credentials.add('unknown key in auth', `gh_${made('unknown')}`);
  const send = (status: number, body: unknown, more: Send = {}) =>
    expect(status, client('/events', { ...more, body }));

  await send(200, { events: [event(), event({ time: data.card })] }, { as: key });
  await send(200, { auth: { apiKey: key }, events: [event()] });
  await send(401, { auth: { apiKey: unknown }, events: [event()] });
  await send(401, { auth: { signature, timestamp: '1792318200' }, events: [event()] });
  await send(200, { events: [event({ auth: { apiKey: key } }), event({ auth: { signature } })] });
  await send(401, { events: [event({ auth: { apiKey: unknown, [unknown]: signature } })] });
  await send(401, { events: [event()] }, { headers: { 'webhook-signature': signature } });
  await send(400, { auth: { [key]: signature }, events: [] });
  await send(400, `{"auth":{"apiKey":"${key}"},"events":[{"data":"${data.card}"`);
  await send(400, { events: data, [unknown]: signature }, { as: key });
  await expect(200, client('/events', { as: key }));
  await expect(400, client(`/events?source=${data.card}&apiKey=${key}&limit=x`, { as: key }));
}

/** Sends events with valid signatures and with signatures made with an unknown secret. */
async function sendSigned({ client, credentials, contents }: Visit, secret: string) {
  const event = {
    specversion: '1.0',
    id: made('id'),
    source: 'https://shop.example/orders',
    type: 'example.order.paid',
    data: contents.add('signed event data', made('event-data')),
  };
  const keep = (signature: string) => credentials.add('signature', signature.slice(3));
  for (const [key, status] of [
    [secret, 200],
    [`whsec_${randomBytes(32).toString('base64')}`, 401],
  ] as const) {
    const body = JSON.stringify({ events: [event] });
    const headers = webhookHeaders(body, key);
    keep(headers['webhook-signature'] ?? '');
    await expect(status, client('/events', { headers, body }));
    const auth = eventAuth(event, key);
    keep(auth.signature);
    await expect(status, client('/events', { body: { events: [event], auth } }));
    await expect(status, client('/events', { body: { events: [{ ...event, auth }] } }));
  }
}

async function misplace({ client }: Visit, secrets: readonly string[]): Promise<void> {
  for (const secret of secrets) {
    await expect(404, client(`/nowhere/${secret}?key=${secret}`, { as: secret }));
    await expect(401, client(`/spaces/${secret}`));
    await expect(
      415,
      client('/auth/sign-in/email', {
        method: 'POST',
        body: secret,
        headers: { 'content-type': `text/${secret}` },
      }),
    );
    await expect(400, client('/auth/sign-in/email', { body: secret }));
    await expect(413, client('/auth/sign-in/email', { body: secret.repeat(50_000) }));
    await client(`/${secret}`, {
      headers: { cookie: `session=${secret}`, 'user-agent': secret, origin: secret },
    });
  }
}
