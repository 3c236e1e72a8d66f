// Writes the generated documents. With --check, compares them instead and exits with 1 if a document differs.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { renderCommandLine } from './docs/command-line.ts';
import { renderConfiguration } from './docs/configuration.ts';
import { renderLicences } from './docs/licences.ts';
import { renderOperations } from './docs/operations.ts';
import { renderOtherLanguages } from './docs/other-languages.ts';

/** The generated documents, each with its path in the repository and a function that renders its text. */
const documents: readonly { readonly path: string; readonly render: () => string }[] = [
  { path: 'docs/configuration.md', render: renderConfiguration },
  { path: 'docs/licences.md', render: () => renderLicences(join(import.meta.dirname, '..')) },
  { path: 'docs/operations.md', render: renderOperations },
  { path: 'docs/guides/other-languages.md', render: renderOtherLanguages },
  { path: 'packages/cli/README.md', render: renderCommandLine },
];

const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    root: { type: 'string', default: join(import.meta.dirname, '..') },
  },
});

for (const { path, render } of documents) {
  const file = join(options.root, path);
  if (!options.check) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, render());
  } else if (readOrEmpty(file) !== render()) {
    console.error(`${path} differs from the generated text: run \`npm run docs\` and commit it.`);
    process.exitCode = 1;
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
