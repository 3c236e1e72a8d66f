import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { childServiceOfThisFile } from '../../server/tests/support/services/file-service.ts';
import { ADMIN, temporaryDirectory } from '../../server/tests/support/services/service.ts';
import { installed as installedTool, type Runtime } from '../../server/tests/support/tools.ts';
import { bundle } from '../build/bundle.ts';
import { Gatehouse } from '../src/index.ts';

const PACKAGE = join(import.meta.dirname, '..');
const ROOT = join(PACKAGE, '../..');
const run = promisify(execFile);
const MISSING = 'not installed (scripts/prepare-tests.sh chaos)';

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const app = join(directory.path, 'app');
const installed = join(app, 'node_modules/@gatehouse/client');
mkdirSync(app);
writeFileSync(join(app, 'package.json'), '{ "type": "module" }');
await run(process.execPath, [
  join(PACKAGE, 'build/build.ts'),
  '--out',
  join(directory.path, 'dist'),
]);
await run('npm', ['pack', './dist', '--silent'], { cwd: directory.path });
const [tarball = ''] = globSync('*.tgz', { cwd: directory.path });
await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join('..', tarball)], {
  cwd: app,
});
cpSync(join(import.meta.dirname, 'package'), app, { recursive: true });

describe('the packed package', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));

  test('contains one module, its declarations, a README and the licence', () => {
    const files = globSync('**/*.*', { cwd: installed }).filter(
      (file) => !file.startsWith('types/'),
    );
    assert.deepEqual(files.sort(), ['README.md', 'index.js', 'package.json']);
    assert.ok(existsSync(join(installed, 'LICENSE')));
    assert.ok(existsSync(join(installed, manifest.types)));
  });

  test('has no dependencies, no side effects and a licence', () => {
    const { dependencies, sideEffects, license, engines, private: isPrivate } = manifest;
    assert.deepEqual(
      { dependencies, sideEffects, license, engines, isPrivate },
      {
        dependencies: undefined,
        sideEffects: false,
        license: 'Apache-2.0',
        engines: { node: '>=20.3' },
        isPrivate: undefined,
      },
    );
  });

  test('imports nothing but its own files', () => {
    for (const file of globSync('**/*.{js,ts}', { cwd: installed })) {
      const text = readFileSync(join(installed, file), 'utf8');
      for (const [, specifier = ''] of text.matchAll(
        /^(?:import|export)[^;]* from ['"]([^'"]*)['"]/gm,
      )) {
        assert.match(specifier, /^\.{1,2}\/.*\.js$/, file);
        const target = join(installed, file, '..', specifier.replace(/\.js$/, '.d.ts'));
        assert.ok(existsSync(target), `${file} imports ${specifier}`);
      }
      assert.doesNotMatch(text, /import\(|\brequire\(|@gatehouse\/contract|typebox/, file);
    }
  });
});

describe('the declarations', () => {
  const targets = [
    {
      name: 'Node without DOM',
      options: { lib: ['es2022'], types: ['node'] },
    },
    {
      name: 'browsers without Node',
      options: { lib: ['es2022', 'dom', 'dom.asynciterable'], types: [] },
    },
  ];
  for (const { name, options } of targets)
    test(`compile for ${name}, and reject mistakes`, async () => {
      const problems = await compile(options, PROGRAM);
      assert.match(problems, /'permisionFilter' does not exist/);
      assert.match(problems, /'string' is not assignable to type 'number/);
      assert.equal(problems.match(/error TS/g)?.length, 2, problems);
    });

  test('compile in a new project, whose program runs on the oldest Node', async () => {
    const program = `
      import { eventSigner, webhooks, type CloudEvent } from '@gatehouse/client';
      const event: CloudEvent = { specversion: '1.0', id: '1', source: 'https://shop.example', type: 'example.order.paid' };
      const body = JSON.stringify(event);
      const secret = 'whsec_c2VjcmV0';
      const received = await webhooks.unwrap(body, await eventSigner(secret)()(body), secret);
      console.log(received.type);`;
    const options = { types: ['node'], noEmit: false, allowImportingTsExtensions: false };
    assert.equal(await compile(options, program), '');
    const node = runtime('node-20') ?? nodeWith('20') ?? process.execPath;
    const { stdout } = await run(node, [join(app, 'main.js')]);
    assert.equal(stdout, 'example.order.paid\n');
  });

  test('describe the same operations as the contract', async () => {
    const program = `
      import type { Api as Published } from '@gatehouse/client';
      import type { Api as Derived } from '${join(PACKAGE, 'src/api.ts')}';
      type Same<A, B> = [A, B] extends [B, A] ? true : false;
      type Different = {
        [R in keyof Derived | keyof Published]: R extends keyof Derived & keyof Published
          ? Same<Derived[R], Published[R]> extends true ? never : R
          : R;
      }[keyof Derived | keyof Published];
      export const different: Different[] = ['none'];`;
    const options = { lib: ['esnext'], types: ['node'], exactOptionalPropertyTypes: false };
    const problems = await compile(options, program);
    assert.match(problems, /Type 'string' is not assignable to type 'never'/);
    assert.equal(problems.match(/error TS/g)?.length, 1, problems);
  });
});

/** Compiles a program that uses the installed package. Returns the output of the compiler. */
async function compile(options: object, program: string): Promise<string> {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    allowImportingTsExtensions: true,
    typeRoots: [join(ROOT, 'node_modules/@types')],
    ...options,
  };
  writeFileSync(join(app, 'main.ts'), program);
  writeFileSync(
    join(app, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['main.ts'] }),
  );
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  return run(process.execPath, [compiler, '--singleThreaded', '--project', app]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
}

const PROGRAM = `
import { Assistant, EventBuffer, Gatehouse, NotFoundError, webhooks, type Document, type Link } from '@gatehouse/client';

const gatehouse = new Gatehouse({ url: 'http://gate.example', apiKey: undefined });
const sub: string | undefined = undefined;
const { token } = await gatehouse.links.create({ sub, permissionFilter: { a: { in: ['b'] as const } } });
await gatehouse.links.create({ permisionFilter: {} });
await gatehouse.links.create({ ttlSeconds: '600' });
const links: Link[] = [];
for await (const link of gatehouse.links.list()) links.push(link);
const page = await gatehouse.documents.list({ state: 'ready' });
const document: Document | undefined = page.items[0];
const upload = gatehouse.documents.create({ file: new Blob(['a']), fileName: 'a.txt' });
const states: 'processing' | 'ready' | 'failed' = (await upload).state;
const buffer = new EventBuffer(gatehouse, { onFailed: (failed) => failed.map(({ event }) => event.id) });
buffer.add({ source: 'a', type: 'b', traceparent: 'c', data: { d: 1 } });
const event = await webhooks.unwrap('{}', new Headers(), 'whsec_');
const assistant = await Assistant.open({ url: 'http://gate.example', linkToken: token });
for await (const part of assistant.chat.ask('a')) if (part.type === 'text-delta') part.delta?.trim();
for await (const { event: one, cursor } of gatehouse.events.stream()) one.id.concat(cursor, one.source);
export const caught = (error: unknown) => (error instanceof NotFoundError ? error.code : undefined);
export { document, event, states };
`;

describe('the package runs on', async () => {
  const { service } = await childServiceOfThisFile();
  const { url } = service;
  const { token } = await new Gatehouse({ url }).auth.signIn(ADMIN);
  const newSpace = async () =>
    (await new Gatehouse({ url, token }).spaces.create({ name: 'Shop' })).id;

  const runtimes: [string, string | undefined, string[]][] = [
    [`Node ${process.version}`, process.execPath, []],
    ['Node 20', runtime('node-20') ?? nodeWith('20'), []],
    ['Node 22', runtime('node-22') ?? nodeWith('22'), []],
    ['Node 24', runtime('node-24') ?? nodeWith('24'), []],
    ['Deno', runtime('deno') ?? inPath('deno')[0], ['run', '--allow-net', '--allow-env']],
    ['Bun', runtime('bun') ?? inPath('bun')[0], []],
  ];
  for (const [name, program, options] of runtimes)
    test(name, { skip: program === undefined && MISSING }, async () => {
      const settings = [url, token, await newSpace()];
      const command = [...options, join(app, 'main.mjs'), ...settings];
      const { stdout } = await run(program ?? '', command, { cwd: app });
      assert.equal(stdout.trim(), 'complete');
    });

  const workerd = runtime('workerd');
  test('workerd, the runtime of Cloudflare Workers', {
    skip: workerd === undefined && MISSING,
  }, async () => {
    writeFileSync(join(app, 'settings.json'), JSON.stringify([url, token, await newSpace()]));
    const { stdout } = await run(workerd ?? '', ['test', 'workerd.capnp'], { cwd: app });
    assert.equal(stdout.trim(), 'complete');
  });

  test('a runtime that has only the interfaces of the web', async () => {
    const entry = "export { Gatehouse, eventSigner, webhooks } from './src/index.ts';";
    const code = await bundle({ entry, format: 'iife' });
    const { fetch, Headers, Response, Blob, ReadableStream, AbortController, URL } = globalThis;
    const { URLSearchParams, TextEncoder, TextDecoder, crypto, setTimeout, clearTimeout } =
      globalThis;
    const web = {
      fetch,
      Headers,
      Response,
      Blob,
      ReadableStream,
      AbortController,
      URL,
      atob,
      btoa,
    };
    const rest = { URLSearchParams, TextEncoder, TextDecoder, crypto, setTimeout, clearTimeout };
    const context = createContext({
      ...web,
      ...rest,
      settings: { url, token, spaceId: await newSpace() },
    });
    const result = await runInContext(
      `${code}; (async () => {
        const client = new gatehouse.Gatehouse(settings);
        const file = new Blob(['a']);
        await client.documents.create({ file, fileName: 'a.txt' }, { onProgress() {} });
        const headers = await gatehouse.eventSigner('whsec_c2VjcmV0')()('{"id":"1"}');
        const event = await gatehouse.webhooks.unwrap('{"id":"1"}', headers, 'whsec_c2VjcmV0');
        return [event.id, (await client.documents.list()).items.length].join();
      })()`,
      context,
    );
    assert.equal(result, '1,1');
  });
});

/** Returns the path of a runtime that `scripts/prepare-tests.sh chaos` has installed. */
function runtime(name: Runtime): string | undefined {
  const folder = installedTool(name);
  return folder === null ? undefined : join(folder, 'program');
}

/** Returns the paths of an executable in all folders of `PATH`. */
function inPath(name: string): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).filter((path) => existsSync(path));
}

/** Returns the path of an installed Node with a major version. */
function nodeWith(major: string): string | undefined {
  return inPath('node').find((path) => {
    const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    return stdout.startsWith(`v${major}.`);
  });
}
