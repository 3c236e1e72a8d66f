import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentSettings } from './documentation.ts';
import { effectiveSettings } from './effective.ts';

const settingsOf = (given: Record<string, string>) =>
  new Map(effectiveSettings(given).map(({ name, ...setting }) => [name, setting]));

test('contains every documented setting with its value or default', () => {
  const settings = settingsOf({ GATEHOUSE_PORT: '9000' });
  assert.deepEqual(
    [...settings.keys()],
    documentSettings().map(({ variable }) => variable),
  );
  assert.deepEqual(settings.get('GATEHOUSE_PORT'), {
    value: '9000',
    isSet: true,
    isSecret: false,
  });
  assert.equal(settings.get('GATEHOUSE_HOST')?.value, '127.0.0.1');
  assert.equal(settings.get('GATEHOUSE_BASE_URL')?.value, null);
});

test('shows of a secret only whether it is set', () => {
  const secrets = documentSettings().filter(({ secret }) => secret === true);
  assert.ok(secrets.length >= 9);
  const given = Object.fromEntries(secrets.map(({ variable }) => [variable, 'hunter2']));
  const settings = settingsOf(given);
  for (const { variable } of secrets)
    assert.deepEqual(settings.get(variable), { value: null, isSet: true, isSecret: true });
  assert.ok(!JSON.stringify([...settings]).includes('hunter2'));
});

test('shows URLs without user names, passwords and query strings', () => {
  for (const [url, shown] of [
    ['nats://user:hunter2@one:4222,nats://two:4222', 'nats://one:4222,nats://two:4222'],
    ['https://api.example/v1?key=hunter2', 'https://api.example/v1'],
    ['https://hunter2@api.example/v1', 'https://api.example/v1'],
    ['https://api.example/v1', 'https://api.example/v1'],
  ] as const)
    assert.equal(settingsOf({ GATEHOUSE_NATS_URL: url }).get('GATEHOUSE_NATS_URL')?.value, shown);
});
