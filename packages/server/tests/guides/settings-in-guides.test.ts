import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Script } from 'node:vm';
import { readSettings } from '../../src/platform/settings/index.ts';
import { openGuide, ROOT } from '../support/guides/guide.ts';

const SERVER = join(ROOT, 'packages/server/src/outbound/brokers');

describe('the settings in the guides', () => {
  test('"Single sign-on" shows valid settings and a script that compiles', () => {
    const guide = openGuide('single-sign-on');
    const first = settingsOf(guide.next('sh'));
    assertValid(first);
    const { GATEHOUSE_OIDC_GROUP_ROLES: roles = '', ...more } = settingsOf(guide.next('sh'));
    assertValid({ ...first, ...more, GATEHOUSE_OIDC_GROUP_ROLES: roles });
    new Script(`async () => {${guide.next('js')}}`);
  });

  test('"Publish events" shows valid settings, and metrics and log lines that exist', () => {
    const guide = openGuide('publish-events');
    for (const block of guide.rest('sh')) assertValid(settingsOf(block));
    const metrics = readFileSync(join(SERVER, 'publishing/sink.metrics.ts'), 'utf8');
    const names = [...guide.next('').matchAll(/^(\w+)\{/gm)].map(([, name = '']) => name);
    assert.equal(names.length, 3);
    for (const name of names) assert.ok(metrics.includes(`'${name}'`), name);
    const log = readFileSync(join(SERVER, 'create-brokers.ts'), 'utf8');
    for (const line of guide.next('json').trim().split('\n')) {
      const { msg } = JSON.parse(line) as { msg: string };
      assert.ok(log.includes(msg.replace(/: .*/, '')), msg);
    }
  });
});

/** Returns the settings that a block sets. `…` stands for a secret. */
function settingsOf(block: string): Record<string, string> {
  const lines = block.trim().split('\n');
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value = ''] = /^(?:export )?(GATEHOUSE_\w+)='?(.*?)'?$/.exec(line) ?? [];
      assert.notEqual(name, '', line);
      return [name, value.replace('…', 'secret-of-the-client')];
    }),
  );
}

function assertValid(settings: Readonly<Record<string, string>>): void {
  const result = readSettings(settings);
  assert.ok(result.ok, JSON.stringify(result));
}
