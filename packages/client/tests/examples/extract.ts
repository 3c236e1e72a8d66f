import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

const PACKAGE = join(import.meta.dirname, '../..');

export interface Example {
  /** Name such as `Links.create` or `README: Lists`. */
  readonly name: string;
  readonly code: string;
}

/** Returns the examples in the doc comments of the client, by the name of the function or class. */
export function documentedExamples(): Map<string, readonly Example[]> {
  const found = new Map<string, readonly Example[]>();
  for (const file of globSync('src/**/*.ts', { cwd: PACKAGE, exclude: ['**/*.test.ts'] })) {
    const text = readFileSync(join(PACKAGE, file), 'utf8');
    const { program, comments } = parseSync(file, text);
    const add = (name: string, start: number) => {
      const doc = comments.findLast(
        ({ end, value }) =>
          end <= start &&
          value.startsWith('*') &&
          /^\s*(\/\/.*\n\s*)*(export\s+)?$/.test(text.slice(end, start)),
      );
      const examples = doc === undefined ? [] : examplesIn(doc.value);
      found.set(
        name,
        examples.map((code, index) => ({
          name: index === 0 ? name : `${name} (${index + 1})`,
          code,
        })),
      );
    };
    let className = '';
    new Visitor({
      ClassDeclaration: ({ id, start }) => {
        className = id?.name ?? '';
        add(className, start);
      },
      MethodDefinition: ({ key, start }) => {
        if (key.type === 'Identifier') add(`${className}.${key.name}`, start);
      },
      FunctionDeclaration: ({ id, start }) => {
        if (id !== null) add(id.name, start);
      },
    }).visit(program);
  }
  return found;
}

function examplesIn(comment: string): string[] {
  const text = comment.replaceAll(/^ *\* ?/gm, '');
  return [...text.matchAll(/^@example\n(.*?)(?=^@\w|(?![\s\S]))/gms)].map(([, code = '']) => code);
}

/** Returns the TypeScript examples of the README, by section. */
export function readmeExamples(): Example[] {
  const text = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
  return text.split(/^## /m).flatMap((section) => {
    const title = section.split('\n', 1)[0];
    return [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => ({
      name: `README: ${title}`,
      code,
    }));
  });
}
