import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { readSettings, type Settings } from './settings.ts';

const COMPLETE = {
  GATEHOUSE_OIDC_ISSUER: 'https://login.example/tenant/',
  GATEHOUSE_OIDC_CLIENT_ID: 'gatehouse',
  GATEHOUSE_OIDC_CLIENT_SECRET: 'hunter2',
  GATEHOUSE_OIDC_ALLOWED_DOMAINS: 'example.com',
};

function settingsOf(env: Record<string, string>): Settings {
  const result = readSettings({ ...COMPLETE, ...env });
  assert.ok(result.ok, inspect(result));
  return result.settings;
}

function problemsOf(env: Record<string, string>): readonly string[] {
  const result = readSettings(env);
  assert.ok(!result.ok);
  assert.doesNotMatch(result.problems.join('\n'), /hunter2/);
  return result.problems;
}

function assertInvalid(name: string, values: readonly string[], problem: RegExp): void {
  for (const value of values) {
    const [first = '', ...others] = problemsOf({ ...COMPLETE, [name]: value });
    assert.match(first, new RegExp(`^${name}: ${problem.source}`), value);
    assert.deepEqual(others, []);
  }
}

test('the issuer is kept exactly as given', () => {
  const settings = settingsOf({});
  assert.equal(settings.oidcIssuer, 'https://login.example/tenant/');
  for (const issuer of ['https://LOGIN.example:443', 'http://localhost:3000', 'http://[::1]:1/a'])
    assert.equal(settingsOf({ GATEHOUSE_OIDC_ISSUER: issuer }).oidcIssuer, issuer);
});

test('the issuer must be an https URL without credentials, query and fragment', () => {
  const name = 'GATEHOUSE_OIDC_ISSUER';
  assertInvalid(
    name,
    ['login.example', 'ftp://a', 'https://', 'https:\\\\a'],
    /must be an absolute/,
  );
  const insecure = ['http://login.example', 'http://127.0.0.1.evil.example', 'http://10.0.0.1'];
  assertInvalid(name, insecure, /must start with https/);
  assertInvalid(
    name,
    ['https://u:p@a', 'https://a?b', 'https://a#b', 'https://a?'],
    /must not have/,
  );
  assertInvalid(name, [`https://a/${'b'.repeat(500)}`], /must have at most 500/);
});

test('an incomplete configuration is rejected', () => {
  assert.deepEqual(problemsOf({ GATEHOUSE_OIDC_ISSUER: 'https://login.example' }), [
    'GATEHOUSE_OIDC_CLIENT_ID: must be set too, because GATEHOUSE_OIDC_ISSUER is set',
    'GATEHOUSE_OIDC_CLIENT_SECRET: must be set too, because GATEHOUSE_OIDC_ISSUER is set',
    'GATEHOUSE_OIDC_ALLOWED_DOMAINS: must be set too, or GATEHOUSE_OIDC_ALLOWED_GROUPS, because GATEHOUSE_OIDC_ISSUER is set; otherwise every user of the provider could sign in',
  ]);
  for (const name of ['CLIENT_ID', 'CLIENT_SECRET', 'ALLOWED_GROUPS', 'ADMIN_GROUPS', 'SCOPES'])
    assert.match(
      problemsOf({ [`GATEHOUSE_OIDC_${name}`]: 'openid email' }).join(),
      /GATEHOUSE_OIDC_ISSUER: must be set too/,
    );
  const { GATEHOUSE_OIDC_ALLOWED_DOMAINS: _, ...rest } = COMPLETE;
  assert.ok(readSettings({ ...rest, GATEHOUSE_OIDC_ALLOWED_GROUPS: 'staff' }).ok);
});

test('password sign-in can be off only if single sign-on is on', () => {
  assert.deepEqual(problemsOf({ GATEHOUSE_PASSWORD_SIGN_IN: 'off' }), [
    'GATEHOUSE_PASSWORD_SIGN_IN: must be on, because GATEHOUSE_OIDC_ISSUER is not set; otherwise nobody could sign in',
  ]);
  assert.equal(settingsOf({ GATEHOUSE_PASSWORD_SIGN_IN: 'off' }).passwordSignIn, 'off');
  assertInvalid('GATEHOUSE_PASSWORD_SIGN_IN', ['false', 'OFF'], /must be one of on, off/);
});

test('domains are folded, and must be complete ASCII domains', () => {
  const name = 'GATEHOUSE_OIDC_ALLOWED_DOMAINS';
  assert.deepEqual(settingsOf({ [name]: 'Example.COM, sub.a-b.example' }).oidcAllowedDomains, [
    'example.com',
    'sub.a-b.example',
  ]);
  const wrong = [
    'com',
    '@example.com',
    '*.example.com',
    '.example.com',
    'exämple.com',
    'a.b.',
    '-a.b',
  ];
  assertInvalid(name, wrong, /entry 1 must be a domain/);
  assertInvalid(name, ['a.example,,b.example'], /entry 2 must be a domain/);
});

test('groups are names separated by commas, or a JSON array', () => {
  const name = 'GATEHOUSE_OIDC_ALLOWED_GROUPS';
  assert.deepEqual(settingsOf({ [name]: 'staff, All Users' }).oidcAllowedGroups, [
    'staff',
    'All Users',
  ]);
  assert.deepEqual(settingsOf({ [name]: '["cn=a,dc=b"]' }).oidcAllowedGroups, ['cn=a,dc=b']);
  assertInvalid(name, ['a,,b', '["a",""]', '["a",1]'], /entry 2 must be a name/);
  assertInvalid(name, ['[]'], /must have at least one group/);
  assertInvalid(name, ['["a"'], /must be valid JSON/);
});

test('group roles map groups to bots and roles', () => {
  const name = 'GATEHOUSE_OIDC_GROUP_ROLES';
  const text = '{"support":{"12":"editor","3":"viewer"},"leads":{"12":"owner"}}';
  assert.deepEqual(
    new Set(settingsOf({ [name]: text }).oidcGroupRoles),
    new Set([
      { group: 'support', botId: 12, role: 'editor' },
      { group: 'support', botId: 3, role: 'viewer' },
      { group: 'leads', botId: 12, role: 'owner' },
    ]),
  );
  assert.deepEqual(settingsOf({ [name]: '{}' }).oidcGroupRoles, []);
  assertInvalid(
    name,
    [
      '[]',
      '"a"',
      'null',
      '{"a":"editor"}',
      '{"a":{"12":"admin"}}',
      '{"a":{"12":null}}',
      '{"a":{"bot":"editor"}}',
      '{"a":{"0":"editor"}}',
      '{"a":{"1.5":"editor"}}',
    ],
    /must be a JSON object that maps groups to bots and roles/,
  );
  assertInvalid(name, ['{"":{"12":"editor"}}'], /must be/);
  assertInvalid(name, ['{', 'support:12'], /must be valid JSON/);
});

test('the scopes must contain openid and email', () => {
  const name = 'GATEHOUSE_OIDC_SCOPES';
  assert.equal(settingsOf({ [name]: 'openid email groups' }).oidcScopes, 'openid email groups');
  assertInvalid(
    name,
    ['openid', 'email profile', 'openid emails', 'openid email\n'],
    /must be scopes/,
  );
});
