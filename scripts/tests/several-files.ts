/** Runs the test files in the command-line arguments in this process. The hooks of a file apply only to its own tests. */
import { AsyncResource } from 'node:async_hooks';
import { join, relative } from 'node:path';
import { after, before, describe } from 'node:test';
import { runAfterAllFiles } from '../../packages/server/tests/support/after-all-files.ts';
import { processorSeconds, record } from './processor-time.ts';

const ROOT = join(import.meta.dirname, '../..');

let running: { readonly file: string; readonly began: number } | undefined;
/** Records the time of the running file, without the time to load it. */
function endFile(): void {
  if (running !== undefined) record(running.file, processorSeconds() - running.began);
}

let previous: Promise<unknown> = Promise.resolve();
/**
 * Loads a test file after the previous one. If two files loaded at the same time and imported a module with a top-level `await`, Node
 * would evaluate both files in the context of the first one, so the suite of the first file would get the tests of the second one.
 */
async function load(path: string): Promise<void> {
  // After an `await`, the tests of the file would be top-level tests.
  const suite = new AsyncResource('test file');
  const loaded = previous.then(() => suite.runInAsyncScope(() => import(path)));
  previous = loaded.catch(() => {});
  await loaded;
}

after(endFile);
after(runAfterAllFiles());
for (const path of process.argv.slice(2)) {
  const file = relative(ROOT, path);
  describe(file, async () => {
    before(() => {
      endFile();
      running = { file, began: processorSeconds() };
    });
    await load(path);
  });
}
