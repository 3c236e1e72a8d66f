import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type CodeBlock, codeBlocks, ROOT, skipWithout } from '../support/guides/guide.ts';
import { GuideShell, guideVariables } from '../support/guides/shell.ts';
import { temporaryDirectory } from '../support/services/service.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';

/** The documents outside of `docs/guides`. Tests of their own run the examples of the README and of the client. */
const FILES = [
  ...globSync('docs/{*,decisions/*}.md', { cwd: ROOT }),
  'packages/cli/README.md',
  'packages/filter/README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
];
const blocks = FILES.flatMap((file) =>
  codeBlocks(readFileSync(join(ROOT, file), 'utf8')).map((block) => ({ ...block, file })),
);
const SHELL = ['sh', 'bash'];
const ofLanguage = (...languages: readonly string[]) =>
  blocks.filter(({ language, notRun }) => languages.includes(language) && notRun === null);
const at = ({ file, line }: CodeBlock & { readonly file: string }) => `${file}:${line}`;

const folder = temporaryDirectory();
after(() => folder[Symbol.dispose]());

test('every code block outside of the guides has a language that a test can check', () => {
  const languages = new Set([...SHELL, 'ts', 'json', 'mermaid', '']);
  assert.deepEqual(blocks.filter(({ language }) => !languages.has(language)).map(at), []);
  for (const block of ofLanguage('json')) JSON.parse(block.text);
});

test('the commands that no test runs have valid syntax', { skip: skipWithout('bash') }, () => {
  const unrun = blocks.filter(({ language, notRun }) => SHELL.includes(language) && notRun);
  assert.ok(unrun.length > 0);
  for (const block of unrun) {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: block.text, encoding: 'utf8' });
    assert.equal(status, 0, `${at(block)}: ${stderr}`);
  }
});

test('the other commands succeed', { skip: skipWithout('bash', 'curl') }, async () => {
  await using started = await startChildWithSpace();
  const { session, service } = started;
  // Without this option, curl also succeeds if the service rejects a request.
  writeFileSync(join(folder.path, '.curlrc'), 'fail-with-body\n');
  const variables = await guideVariables(started);
  const shell = new GuideShell(
    { ...variables, SESSION: session, GATEHOUSE: service.url },
    { folder: folder.path, env: { CURL_HOME: folder.path } },
  );
  const commands = ofLanguage(...SHELL);
  assert.ok(commands.length > 0);
  for (const { text } of commands) await shell.run(text);
});

test('the programs compile', () => {
  const programs = ofLanguage('ts');
  assert.ok(programs.length > 0);
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  for (const [index, { text }] of programs.entries())
    write(`block-${index}.ts`, `${text}\nexport {};\n`);
  write('given.ts', GIVEN);
  const compilerOptions = {
    module: 'preserve',
    // The examples show expressions, whose values are not used.
    noUnusedLocals: false,
    paths: {
      '@gatehouse/filter': [join(ROOT, 'packages/filter/src/index.ts')],
      '@gatehouse/filter/sql': [join(ROOT, 'packages/filter/src/sql/index.ts')],
      '*': [join(ROOT, 'node_modules/*')],
    },
    typeRoots: [join(ROOT, 'node_modules/@types')],
  };
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['*.ts'] };
  write('tsconfig.json', JSON.stringify(config));
  const compiler = join(ROOT, 'node_modules/.bin/tsc');
  const args = ['--singleThreaded', '--project', folder.path];
  const { stdout } = spawnSync(compiler, args, { encoding: 'utf8' });
  assert.equal(stdout, '', programs.map(at).join(', '));
});

/** Declares the names that the examples of the filter package use. */
const GIVEN = `
import type { DatabaseSync } from 'node:sqlite';
import type { compile as compileFilter, Filter, FilterRecord, StoredRecord } from '@gatehouse/filter';
import type { indexedPart as part, SqlFragment, SqlLayout, toSqlite as emit } from '@gatehouse/filter/sql';
import type { sql as kyselySql } from 'kysely';

declare global {
  const filter: Filter;
  const permissionFilter: Filter;
  const record: FilterRecord;
  const spaceId: string;
  const db: DatabaseSync;
  const sql: typeof kyselySql;
  const layout: SqlLayout;
  const compile: typeof compileFilter;
  const indexedPart: typeof part;
  const toSqlite: typeof emit;
  function select(condition: SqlFragment): StoredRecord[];
  function checkTime(): void;
}
`;
