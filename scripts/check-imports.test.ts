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
    dependencies: { '@gatehouse/contract': '1', '@gatehouse/filter': '1', kysely: '1', zod: '4' },
    devDependencies: { 'fast-check': '4', standardwebhooks: '1' },
  });
  write('bench/package.json', { name: '@gatehouse/bench' });
  for (const name of ['contract', 'filter']) write(`packages/${name}/src/index.ts`, 'export {};');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
}

function withFile(path: string, ...lines: string[]): void {
  write(path, lines.join('\n'));
}

function assertRejected(path: string, line: string, rule: RegExp): void {
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

describe('checkImports', () => {
  it('lets contract and filter import no other workspace', () => {
    const contract = 'packages/contract/src/links.ts';
    assertAllowed(contract, "import { Type } from 'typebox';");
    assertRejected(contract, "import '../../filter/src/index.ts';", /another workspace/);
    assertRejected(contract, "import '@gatehouse/filter';", /does not list @gatehouse\/filter/);
    const server = "import '../../server/src/lib/json/index.ts';";
    for (const name of ['contract', 'filter'])
      assertRejected(`packages/${name}/src/x.ts`, server, /may import nothing of ours$/m);
  });

  it('lets a module import only the modules that precede it in dependency order', () => {
    const service = `${SERVER}/links/links.service.ts`;
    assertAllowed(service, "import type { Link } from '@gatehouse/contract';");
    assertAllowed(service, "import '../lib/json/index.ts'; import '../http/index.ts';");
    assertRejected(service, "import '../knowledge/index.ts';", /links may import only contract, /);
    assertRejected(service, "import '../start/index.ts';", /links may import only contract, /);
    assertRejected(`${SERVER}/lib/x.ts`, "import '../storage/index.ts';", /lib may import only/);
    assertRejected(`${SERVER}/storage/x.ts`, "import '../links/index.ts';", /storage may import/);
  });

  it('requires imports of another module to use an index.ts', () => {
    const service = `${SERVER}/links/links.service.ts`;
    assertAllowed(service, "import '../identity/index.ts'; import '../identity/access/index.ts';");
    assertAllowed(service, "import './sessions/exchange.service.ts';");
    assertRejected(
      service,
      "import '../identity/roles.ts';",
      /identity may be imported only through its in/,
    );
  });

  it('restricts the imports of main.ts, but not the imports of app.ts and of the start module', () => {
    assertAllowed(`${SERVER}/app.ts`, "import './links/links.routes.ts';");
    assertAllowed(`${SERVER}/start/start.ts`, "import '../storage/sqlite/db.ts';");
    assertAllowed(`${SERVER}/main.ts`, "import './start/index.ts';");
    assertRejected(`${SERVER}/main.ts`, "import './app.ts';", /main\.ts may import only start/);
  });

  it('rejects a file that belongs to no area', () => {
    withFile(`${SERVER}/utils/x.ts`, '');
    assert.deepEqual(checkImports(root), [
      `${SERVER}/utils/x.ts:1 is in no area of scripts/imports/rules.ts`,
    ]);
  });

  it('lets only storage and repositories import reserved packages', () => {
    const value = "import { sql } from 'kysely';";
    assertAllowed(`${SERVER}/links/links.repository.ts`, value);
    assertAllowed(`${SERVER}/storage/sqlite/x.ts`, `${value} import 'node:sqlite';`);
    assertAllowed(`${SERVER}/links/links.service.ts`, "import { type Kysely } from 'kysely';");
    assertRejected(`${SERVER}/links/links.service.ts`, value, /may import kysely as a value/);
    assertRejected(`${SERVER}/app.ts`, value, /may import kysely as a value/);
    assertRejected(`${SERVER}/storage/x.ts`, "import 'node:sqlite';", /may import node:sqlite/);
    assertAllowed(`${SERVER}/platform/settings/x.ts`, "import 'zod';");
    assertRejected(`${SERVER}/platform/x.ts`, "import type { z } from 'zod';", /may import zod$/m);
  });

  it('lets other files import only the types of a devDependency', () => {
    const product = 'packages/server/src/links/x.ts';
    assertAllowed(product, "import type { x } from 'standardwebhooks';");
    assertRejected(product, "import { x } from 'standardwebhooks';", /is a devDependency/);
    assertRejected(product, "import type { x } from 'fast-check';", /may import fast-check/);
  });

  it('lets the command line load the server only with import()', () => {
    write('package.json', { workspaces: ['packages/cli', 'packages/server'] });
    write('packages/cli/package.json', {
      name: '@gatehouse/cli',
      peerDependencies: { '@gatehouse/server': '1' },
    });
    write('packages/server/package.json', {
      name: '@gatehouse/server',
      exports: { './admin': './src/start/admin.ts' },
    });
    write('packages/server/src/start/admin.ts', 'export {};');
    const admin = 'packages/cli/src/admin.ts';
    assertAllowed(admin, "await import('@gatehouse/server/admin');");
    assertRejected(admin, "import '@gatehouse/server/admin';", /only import\(\) may load it/);
    assertRejected(admin, "await import('@gatehouse/server');", /does not export it/);
  });

  it('lets only tests import test files and fast-check', () => {
    const product = `${SERVER}/links/x.ts`;
    assertRejected(product, "import './links.suite.ts';", /only tests may import test files/);
    assertRejected(product, "import './arbitraries.ts';", /only tests may import test files/);
    assertRejected(product, "import 'fast-check';", /fast-check is a devDependency/);
    assertAllowed(`${SERVER}/links/link-arbitraries.ts`, "import 'fast-check';");
    assertAllowed(`${SERVER}/links/x.test.ts`, "import 'fast-check'; import '../app.ts';");
    assertAllowed('packages/server/tests/journey.ts', "import '../src/links/links.rules.ts';");
  });

  it('lets benchmarks and scripts import any source file and the packages in their package.json', () => {
    assertAllowed(
      'bench/ingest/ingest.ts',
      "import '../packages/server/src/storage/sqlite/db.ts';",
    );
    assertAllowed('scripts/x.ts', "import 'oxc-parser'; import 'node:sqlite';");
    assertRejected(
      'bench/ingest/ingest.ts',
      "import 'oxc-parser';",
      /bench\/package\.json does not list/,
    );
  });

  it('rejects packages missing from package.json, files that a package does not export, and paths outside the repository', () => {
    const file = `${SERVER}/links/x.ts`;
    assertRejected(file, "import type { A } from 'left-pad/x';", /package\.json does not list/);
    assertRejected(file, "import '@gatehouse/contract/src/x.ts';", /does not export it/);
    assertRejected(file, "import '../../../../../x.ts';", /is outside the repository/);
  });

  it('finds every kind of import and reports its line', () => {
    const ways = [
      "export * from '../assistant/index.ts';",
      "export { a } from '../assistant/index.ts';",
      "export type { A } from '../assistant/index.ts';",
      "await import('../assistant/index.ts');",
      "type A = import('../assistant/index.ts').A;",
      "import a = require('../assistant/index.ts');",
      "new Worker(new URL('../assistant/index.ts', import.meta.url));",
    ];
    for (const way of ways) assertRejected(`${SERVER}/links/x.ts`, way, /links may import only/);
    assertRejected(`${SERVER}/links/x.ts`, 'await import(name);', /only literals can be checked/);
    withFile(`${SERVER}/links/x.ts`, '// A comment.', '', "import '../assistant/index.ts';");
    assert.ok(checkImports(root)[0]?.startsWith(`${SERVER}/links/x.ts:3 imports`));
  });

  it('rejects import cycles, including type imports', () => {
    withFile(`${SERVER}/links/a.ts`, "import type { B } from './b.ts';");
    withFile(`${SERVER}/links/b.ts`, '', "import type { C } from './c.ts';");
    withFile(`${SERVER}/links/c.ts`, "import { a } from './a.ts';");
    assert.deepEqual(checkImports(root), [
      `${SERVER}/links/a.ts:1 imports ./b.ts: an import cycle, ` +
        ['a', 'b', 'c', 'a'].map((name) => `${SERVER}/links/${name}.ts`).join(' → '),
    ]);
    withFile(`${SERVER}/links/c.ts`, "new URL('./a.ts', import.meta.url);");
    assert.deepEqual(checkImports(root), []);
  });
});

describe('checkImports for the size of folders', () => {
  it('rejects a folder with more than 18 source files, not counting test files', () => {
    for (let index = 0; index < 18; index += 1) {
      withFile(`${SERVER}/links/links/x${index}.ts`, '');
      withFile(`${SERVER}/links/links/x${index}.test.ts`, '');
    }
    assert.deepEqual(checkImports(root), []);
    withFile(`${SERVER}/links/links/one-more.ts`, '');
    assert.deepEqual(checkImports(root), [
      `${SERVER}/links/links has 19 source files: more than 18 need sub-folders`,
    ]);
  });
});
