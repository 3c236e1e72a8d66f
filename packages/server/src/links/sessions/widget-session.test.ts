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
  const rejection = async (text: string): Promise<string> => {
    try {
      await gate.linkSessions.verify(text);
      return 'accepted';
    } catch (error) {
      assert.ok(error instanceof ApiError, String(error));
      assert.equal(await gate.linkSessions.isValid(text), false);
      return `${error.status} ${error.code}`;
    }
  };

  test('has only one valid text: a signature with other unused bits, padding or another alphabet is rejected', async () => {
    const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = ALPHABET.indexOf(token.at(-1) ?? '');
    const signature = token.slice(token.lastIndexOf('.') + 1);
    const bytes = Buffer.from(signature, 'base64url');
    for (let bits = 1; bits < 16; bits += 1) {
      const other = token.slice(0, -1) + ALPHABET[last ^ bits];
      assert.deepEqual(Buffer.from(other.slice(-signature.length), 'base64url'), bytes);
      assert.equal(await rejection(other), '401 links.session-invalid');
    }
    for (const other of [`${token}==`, `${token}=`, `${token}\n`, `${token} `, `${token}*`])
      assert.equal(await rejection(other), '401 links.session-invalid');
    assert.equal(await rejection(token), 'accepted');
  });

  test('is a JWT that contains the user, the space, the link and the expiry', async () => {
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

  test('is verifiable with the published key set', async () => {
    const keySet = createRemoteJWKSet(new URL('/.well-known/jwks.json', BASE_URL), {
      [customFetch]: async () =>
        new Response((await gate.app.inject({ url: '/.well-known/jwks.json' })).body),
    });
    const currentDate = new Date(gate.now);
    const { payload } = await jwtVerify(token, keySet, { currentDate, issuer: BASE_URL });
    assert.equal(payload.sub, 'customer-42');
  });

  test('identifies the caller', async () => {
    const caller = await gate.linkSessions.verify(token);
    assert.deepEqual({ ...caller }, { spaceId: SHOP, linkId, sub: 'customer-42' });
    const plain = (await gate.exchange((await gate.newLink()).token)).json().accessToken;
    assert.equal((await gate.linkSessions.verify(plain)).sub, null);
    assert.equal(await gate.linkSessions.isValid(token), true);
  });

  test('has a different token for each exchange', async () => {
    const link = await gate.newLink();
    const [a, b] = [await gate.exchange(link.token), await gate.exchange(link.token)];
    assert.notEqual(a.json().accessToken, b.json().accessToken);
  });

  const invalid = '401 links.session-invalid';

  test('is rejected if the token uses another algorithm', async () => {
    const { privateKey, publicJwk } = gate.signingKey;
    const [, payload] = token.split('.');
    const none = `${encode({ ...rightHeader(), alg: 'none' })}.${payload}.`;
    assert.equal(await rejection(none), invalid);
    assert.equal(await rejection(none.slice(0, -1)), invalid);
    const secrets = [
      Buffer.from(publicJwk.x, 'base64url'),
      Buffer.from(JSON.stringify(publicJwk)),
      publicJwk.x,
    ];
    for (const secret of secrets) {
      const text = `${encode({ ...rightHeader(), alg: 'HS256' })}.${payload}`;
      const mac = createHmac('sha256', secret).update(text).digest('base64url');
      assert.equal(await rejection(`${text}.${mac}`), invalid);
    }
    assert.equal(
      await rejection(forge({ ...rightHeader(), alg: 'Ed25519' }, claims(), privateKey)),
      invalid,
    );
    assert.equal(await rejection(forge({ typ: rightHeader().typ }, claims(), privateKey)), invalid);
    const critical = { ...rightHeader(), crit: ['b64'], b64: true };
    assert.equal(
      await rejection(forge({ ...critical, crit: ['x'] }, claims(), privateKey)),
      invalid,
    );
  });

  test('is rejected if the token has another type or key ID', async () => {
    const { privateKey } = gate.signingKey;
    assert.equal(await rejection(forge(rightHeader(), claims(), privateKey)), 'accepted');
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
      assert.equal(await rejection(forge(header, claims(), privateKey)), invalid, encode(header));
  });

  test("is rejected if it is signed with another key, even a key in the token's own header", async () => {
    const other = newSigningKey();
    assert.equal(await rejection(forge(rightHeader(), claims(), other.privateKey)), invalid);
    const withOwnKey = { ...rightHeader(), jwk: other.publicJwk };
    assert.equal(await rejection(forge(withOwnKey, claims(), other.privateKey)), invalid);
  });

  test('is rejected after any change to the token', async () => {
    const [header, , signature] = token.split('.');
    const changed = encode({ ...claims(), sub: 'customer-1' });
    assert.equal(await rejection(`${header}.${changed}.${signature}`), invalid);
    assert.equal(await rejection(token.slice(0, -3)), invalid);
    for (const text of [
      '',
      'x',
      '..',
      'a.b.c',
      token.replaceAll('.', ' '),
      `${token}.`,
      ` ${token}`,
    ])
      assert.equal(await rejection(text), invalid, JSON.stringify(text));
  });

  test('is rejected if it contains claims that this service does not issue', async () => {
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
        await rejection(forge(rightHeader(), { ...claims(), ...change }, privateKey)),
        invalid,
        JSON.stringify(change),
      );
  });

  test('expires after 15 minutes while its link stays active', async (t) => {
    const start = gate.now;
    t.after(() => {
      gate.now = start;
    });
    gate.now = start + 899_999;
    assert.equal(await rejection(token), 'accepted');
    gate.now = start + 900_000;
    assert.equal(await rejection(token), '401 links.session-expired');
  });

  test('ends with its link before its own expiry', async (t) => {
    const start = gate.now;
    t.after(() => {
      gate.now = start;
    });
    const link = await gate.newLink({ exp: start / 1000 + 60.5 });
    const session = (await gate.exchange(link.token)).json().accessToken;
    gate.now = start + 59_999;
    assert.equal(await rejection(session), 'accepted');
    gate.now = start + 60_500;
    assert.equal(await rejection(session), '410 links.expired');
  });

  test('is rejected by the next call after its link is revoked or deleted', async () => {
    const link = await gate.newLink();
    const session = (await gate.exchange(link.token)).json().accessToken;
    assert.equal(await rejection(session), 'accepted');
    const headers = await gate.asUser('editor');
    await gate.app.inject({ method: 'DELETE', url: `/assistant-link/${link.id}`, headers });
    assert.equal(await rejection(session), '410 links.revoked');
    await gate.db.deleteFrom('links').where('id', '=', link.id).execute();
    assert.equal(await rejection(session), invalid);
  });

  // The last test, because all sessions end.
  test('is rejected by the next call after its signing key was replaced at once', async () => {
    assert.equal(await rejection(token), 'accepted');
    await gate.signingKeys.rotate({ atOnce: true });
    assert.equal(await rejection(token), invalid);
  });
});
