/** Runs the test files in the command-line arguments in this process. The hooks of a file apply only to its own tests. */
import { join, relative } from 'node:path';
import { describe } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

for (const file of process.argv.slice(2))
  describe(relative(ROOT, file), async () => {
    await import(file);
  });
