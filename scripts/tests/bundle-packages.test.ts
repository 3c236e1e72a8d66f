import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openRepository, readImports, resolveImport } from '../imports/sources.ts';
import { BUNDLED } from './bundle-packages.ts';

function packageOf(specifier: string): string {
  return specifier.split('/', 1)[0] ?? '';
}

// A path that is missing in the bundle would load a second copy of its package.
test('the bundle contains every imported path of its packages', () => {
  const bundled = new Set(BUNDLED.map(packageOf));
  const repository = openRepository(join(import.meta.dirname, '../..'));
  const imported = new Set<string>();
  for (const file of repository.files)
    for (const one of readImports(repository, file)) {
      if (one.typeOnly || one.specifier === undefined) continue;
      const target = resolveImport(repository, file, one.specifier);
      if (target.kind !== 'ours' && bundled.has(target.packageName)) imported.add(one.specifier);
    }
  assert.deepEqual([...imported].toSorted(), [...BUNDLED].toSorted());
});
