import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Claims, isLocalPath, type SignInPolicy, toPerson } from './person.rules.ts';

const ADA: Claims = {
  subject: 'ada',
  email: 'ada@example.com',
  emailVerified: true,
  name: 'Ada',
  groups: undefined,
};
const POLICY: SignInPolicy = {
  allowedDomains: ['example.com'],
  allowedGroups: null,
  adminGroups: [],
  groupRoles: [],
};

const personOf = (claims: Partial<Claims>, policy: Partial<SignInPolicy> = {}) =>
  toPerson({ ...ADA, ...claims }, { ...POLICY, ...policy });

test('a domain is compared exactly and without letter case', () => {
  assert.equal(personOf({ email: 'Ada@EXAMPLE.com' }).email, 'ada@example.com');
  for (const email of [
    'ada@evil-example.com',
    'ada@example.com.evil.example',
    'ada@sub.example.com',
    'ada@example.co',
  ])
    assert.throws(
      () => personOf({ email }),
      { status: 403, code: 'access.sso-not-allowed' },
      email,
    );
});

test('an address that could be read in two ways is rejected', () => {
  for (const email of [
    'ada@evil.example@example.com',
    '"ada@example.com"@evil.example',
    'ada@evil.example,ada@example.com',
    'ada@evil.example\n@example.com',
    ' ada@example.com',
    'ada@example.com ',
    'ada@example.com.',
    'ada@examplе.com',
    'ada@ｅxample.com',
    '<ada@example.com>',
    '@example.com',
    'ada@com',
    `${'a'.repeat(254)}@example.com`,
    ['ada@example.com'],
    null,
    undefined,
  ])
    assert.throws(
      () => personOf({ email }),
      { status: 403, code: 'access.sso-email-missing' },
      String(email),
    );
});

test('only the boolean `true` verifies an address', () => {
  for (const emailVerified of [false, 'true', 'false', 1, null, [true]])
    assert.throws(() => personOf({ emailVerified }), {
      status: 403,
      code: 'access.sso-email-unverified',
      message: /has not verified your email address/,
    });
  assert.throws(() => personOf({ emailVerified: undefined }), {
    status: 403,
    code: 'access.sso-email-unverified',
    message: /did not state .* \(claim `email_verified`\)/,
  });
});

test('a user must be in one of the allowed groups, and also have an allowed domain', () => {
  const policy = { allowedGroups: ['staff', 'cn=a,dc=b'] };
  for (const groups of ['staff', ['staff'], ['x', 'cn=a,dc=b']])
    assert.equal(personOf({ groups }, policy).subject, 'ada');
  for (const groups of [[], 'Staff', ['staff2'], [['staff']], { staff: true }, 'x,staff', null])
    assert.throws(() => personOf({ groups }, policy), { code: 'access.sso-not-allowed' });
  assert.throws(() => personOf({}, policy), /because the provider sent none/);
  const outside = { groups: ['staff'], email: 'ada@other.example' };
  assert.throws(() => personOf(outside, policy), /your email domain/);
  assert.equal(personOf(outside, { ...policy, allowedDomains: null }).email, 'ada@other.example');
});

test('groups grant the rights of an administrator, and the highest of their roles', () => {
  const policy: Partial<SignInPolicy> = {
    adminGroups: ['admins'],
    groupRoles: [
      { group: 'support', botId: 1, role: 'editor' },
      { group: 'staff', botId: 1, role: 'viewer' },
      { group: 'staff', botId: 2, role: 'viewer' },
      { group: 'other', botId: 3, role: 'owner' },
    ],
  };
  const { isAdmin, roles } = personOf({ groups: ['staff', 'support'] }, policy);
  assert.equal(isAdmin, false);
  assert.deepEqual(
    [...roles],
    [
      [1, 'editor'],
      [2, 'viewer'],
    ],
  );
  assert.equal(personOf({ groups: ['admins'] }, policy).isAdmin, true);
  assert.deepEqual(personOf({}, policy).roles, new Map());
});

test('a name has no control characters and at most 200 characters', () => {
  assert.equal(personOf({ name: ' Ada\u0000\n Lovelace ' }).name, 'Ada  Lovelace');
  for (const name of ['', '\u0000', undefined, 5]) assert.equal(personOf({ name }).name, ADA.email);
  assert.equal(personOf({ name: 'x'.repeat(300) }).name.length, 200);
  assert.ok(personOf({ name: `${'x'.repeat(199)}😀` }).name.isWellFormed());
  assert.ok(personOf({ name: 'a\ud800' }).name.isWellFormed());
});

test('a path is local if no browser resolves it to another origin', () => {
  for (const path of ['/', '/console', '/console?a=b&c=https://x', '/a//b', '/%2F/evil'])
    assert.ok(isLocalPath(path), path);
  for (const path of [
    '',
    'console',
    '//evil.example',
    '/\\evil.example',
    '/a\\b',
    '/\t/evil.example',
    '/\n/evil.example',
    '/a b',
    '/a#b',
    '/ä',
    'https://evil.example',
    'javascript:alert(1)',
  ]) {
    assert.ok(!isLocalPath(path), path);
  }
});
