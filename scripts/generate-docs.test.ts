import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { documentSettings } from '../packages/server/src/platform/settings/index.ts';
import { renderConfiguration } from './docs/configuration.ts';

const SCRIPT = join(import.meta.dirname, 'generate-docs.ts');

describe('generate-docs', () => {
  it('reports a missing or outdated document with exit code 1', () => {
    const root = mkdtempSync(join(tmpdir(), 'gatehouse-docs-'));
    const run = (...options: string[]) => {
      const args = [SCRIPT, '--root', root, ...options];
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      return { status, stderr };
    };
    assert.equal(run('--check').status, 1);
    assert.equal(run().status, 0);
    assert.deepEqual(run('--check'), { status: 0, stderr: '' });
    appendFileSync(join(root, 'docs/configuration.md'), 'x');
    assert.match(run('--check').stderr, /^docs\/configuration\.md differs .* run `npm run docs`/);
    rmSync(root, { recursive: true });
  });

  it('includes the description of every setting in docs/configuration.md', () => {
    const text = renderConfiguration();
    for (const { variable, description, value } of documentSettings()) {
      assert.ok(description.length > 0 && value.length > 0, variable);
      assert.ok(text.includes(`### ${variable}\n\n${description}`), variable);
    }
  });
});
