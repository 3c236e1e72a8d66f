import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ALLOW_RECEIVERS } from '../../server/tests/support/events/receiver.ts';
import { childServiceOfThisFile } from '../../server/tests/support/services/file-service.ts';
import { ADMIN } from '../../server/tests/support/services/service.ts';
import * as client from '../src/index.ts';
import { compileExamples, fixturesOf, type RunnableExamples } from './examples/compile.ts';
import { documentedExamples, readmeExamples } from './examples/extract.ts';
import { type Fixtures, Scene } from './examples/fixtures.ts';

const { Gatehouse } = client;
const documented = documentedExamples();
const examples = [...[...documented.values()].flat(), ...readmeExamples()];

const { service } = await childServiceOfThisFile({ env: ALLOW_RECEIVERS });
const folder = await mkdtemp(join(tmpdir(), 'gatehouse-examples-'));
after(() => rm(folder, { recursive: true, force: true }));
const { token } = await new Gatehouse({ url: service.url }).auth.signIn(ADMIN);
const { path, problems } = await compileExamples(folder, examples);
const { examples: runnable }: { examples: RunnableExamples } = await import(
  pathToFileURL(path).href
);

test('every public function and method has an example', () => {
  const missing = publicFunctions().filter((name) => (documented.get(name) ?? []).length === 0);
  assert.deepEqual(missing, []);
});

test('the examples compile in strict mode', () => {
  assert.equal(problems, '');
});

for (const { name, code } of examples)
  test(`the example of ${name} runs`, { timeout: 60_000 }, async (t) => {
    t.mock.method(console, 'log', () => {});
    await using scene = await Scene.open({ url: service.url, session: token, example: name });
    const scopes = ['links:write', 'events:write', 'knowledge:write', 'read'] as const;
    const { key } = await scene.admin.apiKeys.create({ name, scopes });
    process.env['GATEHOUSE_URL'] = service.url;
    process.env['GATEHOUSE_SPACE'] = scene.spaceId;
    process.env['GATEHOUSE_KEY'] = key;
    const fixtures: Record<string, unknown> = {};
    for (const fixture of fixturesOf(code)) fixtures[fixture] = await scene.get(fixture);
    try {
      await runnable[name]?.(fixtures as unknown as Fixtures);
    } catch (error) {
      if (error !== scene.reading.signal.reason) throw error;
    }
  });

/** Returns the names of exported functions and of the methods of exported classes, resources and lists. */
function publicFunctions(): string[] {
  const gatehouse = new Gatehouse({ url: 'http://gate.example' });
  const exported = [...Object.values(client), ...Object.values(client.webhooks)];
  const functions = exported.filter((one) => typeof one === 'function');
  const objects = [...Object.values(gatehouse), gatehouse.links.list()];
  const all = new Set([...functions, ...objects.map((one) => one.constructor)]);
  return [...all].flatMap((one) => {
    if (!String(one).startsWith('class')) return [one.name];
    const members = Object.entries(Object.getOwnPropertyDescriptors(one.prototype));
    return members
      .filter(([name, { value }]) => name !== 'constructor' && typeof value === 'function')
      .map(([name]) => `${one.name}.${name}`);
  });
}
