import assert from 'node:assert/strict';
import { createHmac, type KeyObject, sign as signBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { ApiError } from '@gatehouse/contract';
import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose';
import { BASE_URL, type LinksUnderTest, newSigningKey, openLinks, SHOP } from '../links.suite.ts';

const encode = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

function forge(header: object, claims: object, key: KeyObject): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${signBytes(null, Buffer.from(text), key).toString('base64url')}`;
}

describe('a widget session', () => {
  let gate: LinksUnderTest;
  let token: string;
  let linkId: string;
  before(async () => {
    gate = await openLinks();
    const link = await gate.newLink({ sub: 'customer-42' });
    linkId = link.id;
    token = (await gate.exchange(link.token)).json().accessToken;
  });
  after(() => gate[Symbol.asyncDispose]());

  const rightHeader = () => ({
    alg: 'EdDSA',
    typ: 'gatehouse-session+jwt',
    kid: gate.signingKey.kid,
  });

  const claims = () => decode(token.split('.')[1]);
  const refusal = async (text: string): Promise<string> => {
    try {
      await gate.linkSessions.verify(text);
      return 'accepted';
    } catch (error) {
      assert.ok(error instanceof ApiError, String(error));
      assert.equal(await gate.linkSessions.isLive(text), false);
      return `${error.status} ${error.code}`;
    }
  };

  test('is a JWT that says who, where and until when', async () => {
    assert.deepEqual(decode(token.split('.')[0]), rightHeader());
    const iat = gate.now / 1000;
    const { jti, ...others } = claims();
    assert.match(jti, /^[0-9a-f-]{36}$/);
    assert.deepEqual(others, {
      iss: BASE_URL,
      aud: 'gatehouse',
      sub: 'customer-42',
      iat,
      exp: iat + 900,
      spaceId: SHOP,
      linkId,
    });
  });

  test('is verified by others with the published key', async () => {
    const keySet = createRemoteJWKSet(new URL('/.well-known/jwks.json', BASE_URL), {
      [customFetch]: async () =>
        new Response((await gate.app.inject({ url: '/.well-known/jwks.json' })).body),
    });
    const currentDate = new Date(gate.now);
    const { payload } = await jwtVerify(token, keySet, { currentDate, issuer: BASE_URL });
    assert.equal(payload.sub, 'customer-42');
  });

  test('proves who calls', async () => {
    const caller = await gate.linkSessions.verify(token);
    assert.deepEqual({ ...caller }, { spaceId: SHOP, linkId, sub: 'customer-42' });
    const plain = (await gate.exchange((await gate.newLink()).token)).json().accessToken;
    assert.equal((await gate.linkSessions.verify(plain)).sub, null);
    assert.equal(await gate.linkSessions.isLive(token), true);
  });

  test('is no two times the same', async () => {
    const link = await gate.newLink();
    const [a, b] = [await gate.exchange(link.token), await gate.exchange(link.token)];
    assert.notEqual(a.json().accessToken, b.json().accessToken);
  });

  const invalid = '401 links.session-invalid';

  test('is refused with another algorithm, although the key would fit', async () => {
    const { privateKey, publicJwk } = gate.signingKey;
    const [, payload] = token.split('.');
    const none = `${encode({ ...rightHeader(), alg: 'none' })}.${payload}.`;
    assert.equal(await refusal(none), invalid);
    assert.equal(await refusal(none.slice(0, -1)), invalid);
    const secrets = [
      Buffer.from(publicJwk.x, 'base64url'),
      Buffer.from(JSON.stringify(publicJwk)),
      publicJwk.x,
    ];
    for (const secret of secrets) {
      const text = `${encode({ ...rightHeader(), alg: 'HS256' })}.${payload}`;
      const mac = createHmac('sha256', secret).update(text).digest('base64url');
      assert.equal(await refusal(`${text}.${mac}`), invalid);
    }
    assert.equal(
      await refusal(forge({ ...rightHeader(), alg: 'Ed25519' }, claims(), privateKey)),
      invalid,
    );
    assert.equal(await refusal(forge({ typ: rightHeader().typ }, claims(), privateKey)), invalid);
    const critical = { ...rightHeader(), crit: ['b64'], b64: true };
    assert.equal(await refusal(forge({ ...critical, crit: ['x'] }, claims(), privateKey)), invalid);
  });

  test('is refused with another type or key id', async () => {
    const { privateKey } = gate.signingKey;
    assert.equal(await refusal(forge(rightHeader(), claims(), privateKey)), 'accepted');
    const { typ: _, ...untyped } = rightHeader();
    const { kid: __, ...unnamed } = rightHeader();
    for (const header of [
      { ...rightHeader(), typ: 'JWT' },
      { ...rightHeader(), typ: 'at+jwt' },
      untyped,
      { ...rightHeader(), kid: 'other' },
      { ...rightHeader(), kid: 7 },
      unnamed,
    ])
      assert.equal(await refusal(forge(header, claims(), privateKey)), invalid, encode(header));
  });

  test('is refused when another key signed it, even one that it brings along', async () => {
    const other = newSigningKey();
    assert.equal(await refusal(forge(rightHeader(), claims(), other.privateKey)), invalid);
    const brought = { ...rightHeader(), jwk: other.publicJwk };
    assert.equal(await refusal(forge(brought, claims(), other.privateKey)), invalid);
  });

  test('is refused when anything in it was changed', async () => {
    const [header, , signature] = token.split('.');
    const changed = encode({ ...claims(), sub: 'customer-1' });
    assert.equal(await refusal(`${header}.${changed}.${signature}`), invalid);
    assert.equal(await refusal(token.slice(0, -3)), invalid);
    for (const text of [
      '',
      'x',
      '..',
      'a.b.c',
      token.replaceAll('.', ' '),
      `${token}.`,
      ` ${token}`,
    ])
      assert.equal(await refusal(text), invalid, JSON.stringify(text));
  });

  test('is refused with claims that this service would not make', async () => {
    const { privateKey } = gate.signingKey;
    for (const change of [
      { iss: 'https://other.example' },
      { iss: undefined },
      { aud: 'other' },
      { aud: undefined },
      { exp: undefined },
      { exp: '9999999999' },
      { spaceId: 7 },
      { linkId: undefined },
      { spaceId: '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f41' },
      { linkId: SHOP },
    ])
      assert.equal(
        await refusal(forge(rightHeader(), { ...claims(), ...change }, privateKey)),
        invalid,
        JSON.stringify(change),
      );
  });

  test('ends after 15 minutes, while the link goes on', async (t) => {
    const start = gate.now;
    t.after(() => {
      gate.now = start;
    });
    gate.now = start + 899_999;
    assert.equal(await refusal(token), 'accepted');
    gate.now = start + 900_000;
    assert.equal(await refusal(token), '401 links.session-expired');
  });

  test('ends with its link, whatever is left of it', async (t) => {
    const start = gate.now;
    t.after(() => {
      gate.now = start;
    });
    const link = await gate.newLink({ exp: start / 1000 + 60.5 });
    const session = (await gate.exchange(link.token)).json().accessToken;
    gate.now = start + 59_999;
    assert.equal(await refusal(session), 'accepted');
    gate.now = start + 60_500;
    assert.equal(await refusal(session), '410 links.expired');
  });

  test('is refused at the very next call when its link is revoked, and when it is deleted', async () => {
    const link = await gate.newLink();
    const session = (await gate.exchange(link.token)).json().accessToken;
    assert.equal(await refusal(session), 'accepted');
    const headers = await gate.asUser('editor');
    await gate.app.inject({ method: 'DELETE', url: `/assistant-link/${link.id}`, headers });
    assert.equal(await refusal(session), '410 links.revoked');
    await gate.db.deleteFrom('links').where('id', '=', link.id).execute();
    assert.equal(await refusal(session), invalid);
  });
});
