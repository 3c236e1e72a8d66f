import type { Client } from '../../support/http/client.ts';
import { ADMIN } from '../../support/services/service.ts';
import type { Used } from './use-everything.ts';

/** Sends secrets in requests that fail. The caller checks the responses. */
export async function failEverywhere(client: Client, used: Used): Promise<void> {
  const { session, key, linkToken, widgetSession } = used;
  await client('/auth/sign-in/email', { body: ADMIN });
  await client('/users', { as: session, body: { ...ADMIN, name: 'Ada' } });
  await client('/spaces', { as: session, body: { name: 'Shop' } });
  await client('/assistant-link', { as: key, body: { sub: linkToken } });
  await client('/assistant-link/exchange', { body: { linkToken } });
  await client(`/widget/${linkToken}`);
  await client('/spaces', { as: widgetSession });
  const messages = [{ role: 'user', parts: [{ type: 'text', text: linkToken }] }];
  await client('/chat', { as: widgetSession, body: { messages } });
  await client('/chat/conversations', { as: widgetSession });
  const event = { specversion: '1.0', id: key, source: 'urn:a', type: 'b', data: linkToken };
  await client('/events', { as: key, body: { events: [event] } });
  await client('/events', { body: { auth: { apiKey: key }, events: [event] } });
  await client('/events', { body: { events: [{ ...event, auth: { apiKey: key } }] } });
  await client('/events', { as: key });
  const nowhere = '/spaces/0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
  const body = { query: linkToken, filter: { a: { eq: linkToken } } };
  await client(`${nowhere}/search`, { as: widgetSession, body });
  await client(`${nowhere}/documents`, { as: key, body: { fileName: key, text: linkToken } });
}
