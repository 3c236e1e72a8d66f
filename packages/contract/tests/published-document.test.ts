import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { openApiDocument } from '../src/index.ts';

const source = JSON.stringify(
  openApiDocument({ baseUrl: 'https://gate.example', version: '0.1.0' }),
);
const COMPILER = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');
/** Maximum number of lines of the generated types. With its path, an operation adds about 47 lines. */
const MAX_LINES = 12_000;

test('the document passes the recommended rules of Redocly', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // Liveness, metrics and static files take no input, so they have no 4xx response.
      'operation-4xx-response': 'off',
      // Redirects of single sign-on have no 2xx response.
      'operation-2xx-response': 'off',
      // The AI SDK requires `/chat/{chatId}/stream`. The server prefers literal segments.
      'no-ambiguous-paths': 'off',
      // The relative links of the documentation need `/docs/`. `/docs` redirects to it.
      'no-path-trailing-slash': 'off',
    },
  });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  assert.deepEqual(
    problems.map(
      ({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`,
    ),
    [],
  );
});

describe('the types that openapi-typescript generates', () => {
  let folder = '';
  let types = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-types-'));
    types = astToString(await openapiTypescript(source));
    await writeFile(join(folder, 'api.ts'), types);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('compile in strict mode together with a program that uses them', async () => {
    await writeFile(join(folder, 'program.ts'), PROGRAM);
    assert.equal(await compile(folder), '');
  });

  test('reject a misspelt member and a wrong type', async () => {
    await writeFile(join(folder, 'program.ts'), MISTAKES);
    const output = await compile(folder);
    assert.match(output, /'permisionFilter' does not exist/);
    assert.match(output, /'string' is not assignable to type 'number'/);
  });

  test('are short enough to read', () => {
    const lines = types.split('\n').length;
    assert.ok(lines <= MAX_LINES, `${lines} lines`);
  });
});

async function compile(folder: string): Promise<string> {
  const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext'];
  const files = ['--allowImportingTsExtensions', join(folder, 'program.ts')];
  const command = [COMPILER, '--singleThreaded', '--ignoreConfig', ...options, ...files];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: folder });
    return stdout;
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

const PROGRAM = `
import type { components, operations, paths } from './api.ts';

type Schemas = components['schemas'];
const filter: Schemas['PermissionFilter'] = {
  and: [{ department: { in: ['sales', 'support'] } }, { not: { fileName: { like: '%.draft' } } }],
  search: 'returns',
};
export const request: Schemas['NewAccessLink'] = { sub: 'customer-42', ttlSeconds: 600, permissionFilter: filter };

export function show(links: Schemas['AccessLinkList']): string[] {
  return links.items.map(({ sub, state }) => \`\${sub ?? 'nobody'}: \${state}\`);
}
export function marked({ snippet, highlights }: Schemas['FoundPassage']): string[] {
  return highlights.map(([start, end]) => snippet.slice(start, end));
}
export type Created = operations['createLink']['responses'][200]['content']['application/json'];
export type Failure = operations['createLink']['responses'][403]['content']['application/json'];
export const reason = ({ code, issues }: Failure) => [code, ...(issues ?? []).map(({ message }) => message)];
export type Listing = paths['/assistant-link']['get'];
`;

const MISTAKES = `
import type { components } from './api.ts';

export const a: components['schemas']['NewAccessLink'] = { permisionFilter: {} };
export const b: components['schemas']['NewAccessLink'] = { ttlSeconds: '600' };
`;
