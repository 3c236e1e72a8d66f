import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Example } from './extract.ts';
import { FIXTURES, type Fixtures } from './fixtures.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const CLIENT = join(ROOT, 'packages/client/src/index.ts');
const IMPORT = /^import \{ ([^}]*) \} from '@gatehouse\/client';\n/gm;

export type RunnableExamples = Readonly<Record<string, (fixtures: Fixtures) => Promise<void>>>;

/** Returns the fixtures that an example uses and does not declare itself. */
export function fixturesOf(code: string): (keyof Fixtures)[] {
  return FIXTURES.filter((name) => {
    const declared = new RegExp(`const ([{[][^=:]*)?\\b${name}\\b[^=:]*=`).test(code);
    return !declared && new RegExp(`(?<![.'\\w-])${name}\\b(?!:)`).test(code);
  });
}

/**
 * Writes the examples as functions into a module, and compiles the module strictly.
 *
 * @returns the path of the module, and the output of the compiler.
 */
export async function compileExamples(
  folder: string,
  examples: readonly Example[],
): Promise<{ readonly path: string; readonly problems: string }> {
  const functions = examples.map(({ name, code }) => {
    const body = code.replaceAll(IMPORT, '').replaceAll(/^export /gm, '');
    return `${JSON.stringify(name)}: async ({ ${fixturesOf(code).join(', ')} }) => {\n${body}},`;
  });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const path = join(folder, 'examples.ts');
  const text = [
    `import * as client from '${CLIENT}';`,
    `import type { RunnableExamples } from '${import.meta.filename}';`,
    // A name that no example uses is permitted here.
    `const { ${await exportedNames()} } = client;`,
    `export const examples: RunnableExamples = {\n${functions.join('\n')}\n};`,
  ].join('\n');
  await writeFile(path, text);
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { typeRoots: [join(ROOT, 'node_modules/@types')] },
      include: ['examples.ts'],
    }),
  );
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '--singleThreaded', '--project', folder];
  const run = promisify(execFile)(process.execPath, args);
  const problems = await run.then(
    ({ stdout }) => stdout,
    (error: { readonly stdout: string }) => error.stdout,
  );
  return { path, problems };
}

async function exportedNames(): Promise<string> {
  return Object.keys(await import('../../src/index.ts')).join(', ');
}
