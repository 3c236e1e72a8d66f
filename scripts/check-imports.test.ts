import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { checkImports } from './imports/check.ts';

const SERVER = 'packages/server/src';
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gatehouse-imports-'));
  const contract = { name: '@gatehouse/contract', exports: { '.': './src/index.ts' } };
  write('package.json', {
    workspaces: ['packages/contract', 'packages/filter', 'packages/server', 'bench'],
    devDependencies: { 'oxc-parser': '1' },
  });
  write('packages/contract/package.json', { ...contract, dependencies: { typebox: '1' } });
  write('packages/filter/package.json', { name: '@gatehouse/filter', exports: './src/index.ts' });
  write('packages/server/package.json', {
    name: '@gatehouse/server',
    dependencies: { '@gatehouse/contract': '1', '@gatehouse/filter': '1', kysely: '1' },
    devDependencies: { 'fast-check': '4' },
  });
  write('bench/package.json', { name: '@gatehouse/bench' });
  for (const name of ['contract', 'filter']) write(`packages/${name}/src/index.ts`, 'export {};');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
}

/** Adds a file; what it imports need not exist. */
function withFile(path: string, ...lines: string[]): void {
  write(path, lines.join('\n'));
}

function assertRefused(path: string, line: string, rule: RegExp): void {
  withFile(path, line);
  const found = checkImports(root).join('\n');
  assert.match(found, rule);
  assert.ok(found.startsWith(`${path}:1 imports `), found);
  rmSync(join(root, path));
}

function assertAllowed(path: string, line: string): void {
  withFile(path, line);
  assert.deepEqual(checkImports(root), []);
  rmSync(join(root, path));
}

describe('the import rules', () => {
  it('let contract and filter import nothing of ours, and config the contract alone', () => {
    const contract = 'packages/contract/src/links.ts';
    assertAllowed(contract, "import { Type } from 'typebox';");
    assertRefused(contract, "import '../../filter/src/index.ts';", /another workspace/);
    assertRefused(contract, "import '@gatehouse/filter';", /does not list @gatehouse\/filter/);
    const config = `${SERVER}/config/x.ts`;
    assertAllowed(config, "import { nearestName } from '@gatehouse/contract';");
    assertRefused(config, "import '../ports/clock.ts';", /config may import only contract$/m);
  });

  it('let ports import contract, filter and text alone', () => {
    assertAllowed(`${SERVER}/ports/x.ts`, "import type { Link } from '@gatehouse/contract';");
    assertRefused(
      `${SERVER}/ports/x.ts`,
      "import type { Caller } from '../access/index.ts';",
      /ports may import only contract, filter, text$/m,
    );
  });

  it('let a feature import ports, and another feature or http through the index alone', () => {
    const links = `${SERVER}/links/links.service.ts`;
    assertAllowed(links, "import '../ports/clock.ts';");
    assertAllowed(links, "import { authorize } from '../access/index.ts';");
    assertAllowed(links, "import '../http/index.ts';");
    assertRefused(links, "import '../access/roles.ts';", /access is imported through its index/);
    assertRefused(links, "import '../http/errors.ts';", /http is imported through its index/);
    assertRefused(links, "import '../adapters/sqlite/db.ts';", /links may import only ports/);
    assertRefused(links, "import '../config/index.ts';", /links may import only ports/);
    assertRefused(links, "import '../start.ts';", /links may import only ports/);
  });

  it('keep adapters away from features and http, and http away from features', () => {
    const adapter = `${SERVER}/adapters/sqlite/x.ts`;
    assertAllowed(adapter, "import '../../ports/clock.ts';");
    assertRefused(adapter, "import '../../links/index.ts';", /adapters may import only ports/);
    assertRefused(adapter, "import '../../http/index.ts';", /adapters may import only ports/);
    assertRefused(`${SERVER}/http/x.ts`, "import '../access/index.ts';", /http may import only/);
  });

  it('let app.ts and start.ts import everything, main.ts only start.ts and config', () => {
    assertAllowed(`${SERVER}/app.ts`, "import './links/links.routes.ts';");
    assertAllowed(`${SERVER}/start.ts`, "import './adapters/sqlite/db.ts';");
    assertAllowed(`${SERVER}/main.ts`, "import './start.ts'; import './config/index.ts';");
    assertRefused(`${SERVER}/main.ts`, "import './app.ts';", /main\.ts may import only start\.ts/);
  });

  it('let migrations import ports alone', () => {
    const migration = 'packages/server/migrations/0001.ts';
    assertAllowed(migration, "import '../src/ports/migration.ts';");
    assertRefused(migration, "import '../src/adapters/x.ts';", /migrations may import only ports/);
  });

  it('refuse a file in a place that has no rule', () => {
    withFile(`${SERVER}/utils/x.ts`, '');
    assert.deepEqual(checkImports(root), [
      `${SERVER}/utils/x.ts:1 lies in no place that scripts/imports/rules.ts names`,
    ]);
  });

  it('keep SQL where it belongs', () => {
    const value = "import { sql } from 'kysely';";
    assertAllowed(`${SERVER}/links/links.repository.ts`, value);
    assertAllowed(`${SERVER}/adapters/sqlite/x.ts`, value);
    assertAllowed(`${SERVER}/ports/x.ts`, value);
    assertAllowed('packages/server/migrations/0001.ts', value);
    assertAllowed(`${SERVER}/links/links.service.ts`, "import { type Kysely } from 'kysely';");
    assertRefused(`${SERVER}/links/links.service.ts`, value, /may import kysely as a value/);
    assertRefused(`${SERVER}/start.ts`, value, /may import kysely as a value/);
    assertAllowed(`${SERVER}/adapters/sqlite/x.ts`, "import 'node:sqlite';");
    assertRefused(`${SERVER}/adapters/x.ts`, "import 'node:sqlite';", /may import node:sqlite/);
  });

  it('keep test files and fast-check out of the product', () => {
    const product = `${SERVER}/links/x.ts`;
    assertRefused(product, "import './links.suite.ts';", /only tests may import test files/);
    assertRefused(product, "import './arbitraries.ts';", /only tests may import test files/);
    withFile(product, "import 'fast-check';");
    const found = checkImports(root).join('\n');
    assert.match(found, /fast-check is a devDependency/);
    assert.match(found, /only tests may import fast-check/);
    rmSync(join(root, product));
    assertAllowed(`${SERVER}/links/link-arbitraries.ts`, "import 'fast-check';");
    assertAllowed(`${SERVER}/links/x.test.ts`, "import 'fast-check'; import '../start.ts';");
    assertAllowed('packages/server/tests/journey.ts', "import '../src/links/links.rules.ts';");
    assertAllowed('packages/server/demo/demo.ts', "import '../src/start.ts';");
  });

  it('let benchmarks and scripts reach everything, but use only packages they list', () => {
    assertAllowed('bench/ingest.ts', "import '../packages/server/src/adapters/sqlite/db.ts';");
    assertAllowed('scripts/x.ts', "import 'oxc-parser'; import 'node:sqlite';");
    assertRefused('bench/ingest.ts', "import 'oxc-parser';", /bench\/package\.json does not list/);
  });

  it('refuse packages that no manifest lists and parts that a workspace does not export', () => {
    const file = `${SERVER}/links/x.ts`;
    assertRefused(
      file,
      "import type { A } from 'left-pad/x';",
      /server\/package\.json does not li/,
    );
    assertRefused(file, "import '@gatehouse/contract/src/x.ts';", /does not export it/);
    assertRefused(file, "import '../../../../../x.ts';", /leads out of the repository/);
  });

  it('see every way to import, on its line', () => {
    const ways = [
      "export * from '../config/index.ts';",
      "export { a } from '../config/index.ts';",
      "export type { A } from '../config/index.ts';",
      "await import('../config/index.ts');",
      "type A = import('../config/index.ts').A;",
      "import a = require('../config/index.ts');",
      "new Worker(new URL('../config/index.ts', import.meta.url));",
    ];
    for (const way of ways) assertRefused(`${SERVER}/links/x.ts`, way, /links may import only/);
    assertRefused(`${SERVER}/links/x.ts`, 'await import(name);', /only a literal can be checked/);
    withFile(`${SERVER}/links/x.ts`, '// A comment.', '', "import '../config/index.ts';");
    assert.ok(checkImports(root)[0]?.startsWith(`${SERVER}/links/x.ts:3 imports`));
  });
});

describe('a circle', () => {
  it('of files is refused, also when it is of types alone', () => {
    withFile(`${SERVER}/links/a.ts`, "import type { B } from './b.ts';");
    withFile(`${SERVER}/links/b.ts`, '', "import type { C } from './c.ts';");
    withFile(`${SERVER}/links/c.ts`, "import { a } from './a.ts';");
    assert.deepEqual(checkImports(root), [
      `${SERVER}/links/a.ts:1 imports ./b.ts: a circle of files, ` +
        ['a', 'b', 'c', 'a'].map((name) => `${SERVER}/links/${name}.ts`).join(' → '),
    ]);
  });

  it('of features is refused where no files make one', () => {
    withFile(`${SERVER}/links/a.ts`, "import '../spaces/index.ts';");
    withFile(`${SERVER}/spaces/b.ts`, "import '../links/index.ts';");
    assert.deepEqual(checkImports(root), [
      `${SERVER}/links/a.ts:1 imports ../spaces/index.ts: a circle of features, links → spaces → links`,
    ]);
  });

  it('is not seen where two ways lead to the same file', () => {
    withFile(`${SERVER}/links/a.ts`, "import './b.ts'; import './c.ts';");
    withFile(`${SERVER}/links/b.ts`, "import './c.ts';");
    withFile(`${SERVER}/links/c.ts`, "new URL('./a.ts', import.meta.url);");
    assert.deepEqual(checkImports(root), []);
  });
});
