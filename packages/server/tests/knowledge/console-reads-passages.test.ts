import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { ADMIN } from '../support/services/service.ts';

type Headers = Readonly<Record<string, string>>;

const { service, client, bareClient } = await serviceOfThisFile();
const admin = await signIn(client);
const OWN = service.url;
const EVIL = 'https://evil.example';
const SAME = { 'sec-fetch-site': 'same-origin' };

describe('reading passages with the cookie of the console', () => {
  let path = '';
  let cookie = '';
  before(async () => {
    const space = await makeSpace(client, admin, { name: 'Passages' });
    const { id } = await addDocument(client, admin, space.id, {
      fileName: 'secret.txt',
      text: 'A secret passage.',
    });
    path = `/spaces/${space.id}/documents/${id}/passages`;
    const signedIn = await client('/console/session', { body: ADMIN, headers: { origin: OWN } });
    cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  });

  const read = (headers: Headers) => client(path, { headers: { cookie, ...headers } });

  test('works for pages of the service, without CORS headers and without caching', async () => {
    for (const headers of [SAME, { ...SAME, origin: OWN }]) {
      const answer = await read(headers);
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.text, /A secret passage/);
      assert.equal(answer.headers.get('access-control-allow-origin'), null);
      assert.equal(answer.headers.get('access-control-allow-credentials'), null);
      assert.match(answer.headers.get('cache-control') ?? '', /no-store/);
    }
  });

  test('is ignored unless the browser confirms that a page of the service sent the request', async () => {
    const sites = ['cross-site', 'same-site', 'none', '', 'SAME-ORIGIN', 'same-origin, cross-site'];
    const hostile: Headers[] = [
      {},
      { origin: OWN },
      ...sites.map((site) => ({ 'sec-fetch-site': site })),
      ...sites.map((site) => ({ 'sec-fetch-site': site, origin: OWN })),
      ...[EVIL, 'null', '', `${OWN}.evil.example`, OWN.toUpperCase(), `${OWN}/`].map((origin) => ({
        ...SAME,
        origin,
      })),
    ];
    for (const headers of hostile) {
      const answer = await read(headers);
      const shown = JSON.stringify(headers);
      assert.equal(answer.status, 401, shown);
      assert.doesNotMatch(answer.text, /secret/, shown);
      assert.equal(answer.headers.get('access-control-allow-origin'), null, shown);
      assert.equal(answer.headers.get('access-control-allow-credentials'), null, shown);
    }
  });

  test('gives no access to the chat, which also answers other origins', async () => {
    for (const chat of ['/chat/conversations', '/chat/x/stream']) {
      const answer = await client(chat, { headers: { cookie, ...SAME, origin: OWN } });
      assert.ok([401, 403].includes(answer.status), `${chat}: ${answer.status}`);
    }
    const body = { messages: [{ role: 'user', parts: [{ type: 'text', text: 'secret?' }] }] };
    const answer = await client('/chat', { body, headers: { cookie, ...SAME, origin: OWN } });
    assert.equal(answer.status, 401);
  });

  test('is never permitted by a preflight response', async () => {
    const headers = { origin: 'null', 'access-control-request-method': 'GET' };
    const answer = await bareClient(path, {
      method: 'OPTIONS',
      headers: { cookie, ...headers },
    });
    assert.equal(answer.status, 204);
    assert.equal(answer.headers.get('access-control-allow-credentials'), null);
  });
});
