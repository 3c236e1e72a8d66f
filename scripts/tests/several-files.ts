/** Runs the test files in the command-line arguments in this process. The hooks of a file apply only to its own tests. */
import { join, relative } from 'node:path';
import { after, before, describe } from 'node:test';
import { runAfterAllFiles } from '../../packages/server/tests/support/after-all-files.ts';
import { processorSeconds, record } from './processor-time.ts';

const ROOT = join(import.meta.dirname, '../..');

after(runAfterAllFiles());
/** The files are loaded one after another, and all of them before the first test. */
let loaded = Promise.resolve();
let counted = 0;
for (const path of process.argv.slice(2)) {
  const file = relative(ROOT, path);
  const previous = loaded;
  const { promise, resolve } = Promise.withResolvers<void>();
  loaded = promise;
  describe(file, async () => {
    await previous;
    let loading = 0;
    before(() => {
      counted = processorSeconds();
    });
    const began = processorSeconds();
    try {
      await import(path);
    } finally {
      loading = processorSeconds() - began;
      resolve();
    }
    after(() => record(file, loading + processorSeconds() - counted));
  });
}
