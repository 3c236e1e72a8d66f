import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { health } from '../../packages/contract/src/index.ts';
import { FULL } from '../../packages/filter/tests/campaign.ts';
import { documentSettings } from '../../packages/server/src/platform/settings/index.ts';
import { ingest, makeEvents } from '../../packages/server/tests/support/events/events.ts';
import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import { freePort } from '../../packages/server/tests/support/services/free-port.ts';
import { ADMIN } from '../../packages/server/tests/support/services/service.ts';
import { until } from '../../packages/server/tests/support/until.ts';
import { readSources } from '../../packages/site/build/sources.ts';
import { contextFiles } from './build-context.ts';
import { environmentOf, readStages, stepsOf } from './dockerfile.ts';
import {
  filesLike,
  makeReadOnly,
  NoPackages,
  permitEntry,
  playImage,
  removeReadOnly,
} from './play-image.ts';

const isRoot = process.getuid?.() === 0;
const home = mkdtempSync(join(tmpdir(), 'gatehouse-image-'));
after(() => removeReadOnly(home));
const image = readStages().at(-1);
assert.ok(image);
const environment = environmentOf(image);
let root: string | NoPackages | null = null;
/** Building the image takes about half a minute, so only `.ci/run` and `npm run test:chaos` build it. */
const builds = process.env['CI'] === 'true' || FULL;

before(() => {
  if (!builds) return;
  permitEntry(home);
  try {
    root = playImage(home);
    makeReadOnly(root);
  } catch (error) {
    if (!(error instanceof NoPackages)) throw error;
    root = error;
  }
});

/** Returns the root of the image. Skips the test if the image is not built. */
function playedRoot(context: TestContext): string | null {
  if (typeof root === 'string') return root;
  context.skip(builds ? 'npm cannot download packages' : 'set CI=true to build an image');
  return null;
}

test('the build context contains the sources and the documentation, but no tests or deployment files', () => {
  const files = contextFiles();
  for (const file of readSources().keys()) assert.ok(files.includes(file), file);
  assert.ok(!files.some((file) => file.startsWith('docs/screenshots/')));
  assert.ok(files.includes('packages/server/src/main.ts'));
  assert.ok(files.includes('bench/package.json'));
  for (const file of files)
    assert.doesNotMatch(file, /\.test\.ts$|\.suite\.ts$|\/tests\/|^deploy|\.env/);
});

test('the image declares a numeric unprivileged user, its port, a health check and the stop signal', () => {
  const [user] = stepsOf(image, 'USER');
  assert.match(user?.text ?? '', /^[1-9]\d+:[1-9]\d+$/);
  assert.deepEqual(
    stepsOf(image, 'EXPOSE').map(({ text }) => text),
    [environment['GATEHOUSE_PORT']],
  );
  const [check] = stepsOf(image, 'HEALTHCHECK');
  assert.ok(check?.text.includes(health.path));
  assert.deepEqual(
    stepsOf(image, 'STOPSIGNAL').map(({ text }) => text),
    ['SIGTERM'],
  );
  for (const { image: base } of readStages()) assert.match(base, /:(?!latest$)/);
});

test('every environment variable of the image that starts with GATEHOUSE_ is a documented setting', () => {
  const known = documentSettings().map(({ variable }) => variable);
  for (const name of Object.keys(environment))
    if (name.startsWith('GATEHOUSE_')) assert.ok(known.includes(name), name);
});

test('the image contains the service, but no tools for tests and builds', (context) => {
  const played = playedRoot(context);
  if (played === null) return;
  for (const name of ['console', 'site', 'widget'])
    assert.ok(existsSync(join(played, `app/packages/${name}/dist/manifest.json`)), name);
  for (const name of [
    'typescript',
    '@biomejs',
    'vite',
    '@scalar',
    '@11ty',
    'highlight.js',
    'beautiful-mermaid',
    'playwright-core',
    'fast-check',
    'axe-core',
    'react-dom',
  ])
    assert.ok(!existsSync(join(played, 'app/node_modules', name)), name);
  assert.deepEqual(filesLike(join(played, 'app/packages'), '**/*.{test,suite}.ts'), []);
  assert.ok(!readdirSync(join(played, 'app/packages')).includes('bench'));
  const { stdout } = spawnSync('du', ['-sm', played], { encoding: 'utf8' });
  const megabytes = Number.parseInt(stdout, 10);
  context.diagnostic(`${megabytes} MB without the base image`);
  assert.ok(megabytes < 320);
});

test('the service of the image runs as an unprivileged user on a read-only file system and stops on SIGTERM', async (context) => {
  const played = playedRoot(context);
  if (played === null) return;
  const app = join(played, 'app');
  const data = join(home, 'data');
  const [uid = 0, gid = 0] = (stepsOf(image, 'USER')[0]?.text ?? '').split(':').map(Number);
  mkdirSync(data);
  if (isRoot) chownSync(data, uid, gid);
  const port = await freePort();
  const env = {
    ...environment,
    PATH: environment['PATH']?.replaceAll('/app/', `${app}/`) ?? '',
    NODE_COMPILE_CACHE: join(data, 'compiled'),
    GATEHOUSE_PORT: String(port),
    GATEHOUSE_DATA_DIR: data,
    GATEHOUSE_ADMIN_EMAIL: ADMIN.email,
    GATEHOUSE_ADMIN_PASSWORD: ADMIN.password,
  };
  const [shell = '', ...rest] = JSON.parse(stepsOf(image, 'CMD')[0]?.text ?? '[]') as string[];
  const args = rest.map((arg) => arg.replace(/^\/app\//, `${app}/`));
  const service = spawn(shell, args, {
    cwd: app,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
    ...(isRoot ? { uid, gid } : {}),
  });
  const ended = once(service, 'exit');
  try {
    const client = clientOf(`http://127.0.0.1:${port}`);
    await until('it is ready', async () => {
      assert.equal(service.exitCode, null);
      return (await client('/readyz').catch(() => null))?.status === 200;
    });
    const session = await signIn(client);
    const key = await makeKey(client, session, (await makeSpace(client, session)).id);
    const events = makeEvents(3);
    assert.equal((await ingest(client, { as: key, body: { events } })).processed, 3);
    assert.equal((await client('/widget/any')).status, 200);
    assert.equal((await client('/docs/')).status, 200);
    assert.equal((await client('/docs/api')).status, 200);
    const [, probe = ''] =
      /^CMD (\[.*\])$/.exec(stepsOf(image, 'HEALTHCHECK')[0]?.text ?? '') ?? [];
    const [program = '', ...probeArgs] = JSON.parse(probe) as string[];
    assert.equal(spawnSync(program, probeArgs, { env }).status, 0);
    service.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
    assert.notEqual(spawnSync(program, probeArgs, { env }).status, 0);
  } finally {
    service.kill('SIGKILL');
  }
});
