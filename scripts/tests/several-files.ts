/** Runs the test files in the command-line arguments in this process. The hooks of a file apply only to its own tests. */
import { join, relative } from 'node:path';
import { after, before, describe } from 'node:test';
import { runAfterAllFiles } from '../../packages/server/tests/support/after-all-files.ts';
import { processorSeconds, record } from './processor-time.ts';

const ROOT = join(import.meta.dirname, '../..');

let running: { readonly file: string; readonly began: number } | undefined;
/** Records the time of the running file: without the time to load it, because the files are loaded together. */
function endFile(): void {
  if (running !== undefined) record(running.file, processorSeconds() - running.began);
}

after(endFile);
after(runAfterAllFiles());
for (const path of process.argv.slice(2)) {
  const file = relative(ROOT, path);
  // `await` before `import` would make the tests of the file top-level tests.
  describe(file, async () => {
    before(() => {
      endFile();
      running = { file, began: processorSeconds() };
    });
    await import(path);
  });
}
