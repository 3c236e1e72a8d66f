/** Collects the texts of the sources, for the tests. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Expression, type JSXAttribute, parseSync, Visitor } from 'oxc-parser';

const ROOT = join(import.meta.dirname, '..');
/** Attributes and properties that contain texts for people. */
const SHOWN = new Set(['label', 'title', 'hint', 'caption', 'aria-label', 'placeholder', 'none']);
/** Names that are the same in all languages, operations of the API, and actions of the audit. */
const NAMES =
  /^(Gatehouse|Esc|JSON|curl|TypeScript|HTML|CSV|JSON Lines|[A-Z]+ \/.*|[a-z]+\.[a-z]+)$/;

export interface Texts {
  /** The English texts, which are the keys of the translations. `true`: the text is the plural of a number. */
  readonly keys: ReadonlyMap<string, boolean>;
  /** Texts that are not passed to `t`, `plural` or `rich` as literals, with their positions. */
  readonly problems: readonly string[];
}

/** Collects the literals that the sources pass to `t`, `plural` and `rich`. */
export function collectTexts(): Texts {
  const keys = new Map<string, boolean>();
  const problems: string[] = [];
  for (const file of globSync('{app,components,pages}/**/*.{ts,tsx}', { cwd: ROOT }).sort()) {
    const source = readFileSync(join(ROOT, file), 'utf8');
    const { program } = parseSync(file, source);
    const report = (start: number, problem: string) =>
      problems.push(`${file}:${source.slice(0, start).split('\n').length}: ${problem}`);
    new Visitor({
      CallExpression({ callee, arguments: given, start }) {
        if (callee.type !== 'Identifier' || !['t', 'plural', 'rich'].includes(callee.name)) return;
        const isPlural = callee.name === 'plural';
        const text = literalOf(given[isPlural ? 2 : 0]);
        if (text === undefined) report(start, `${callee.name}() needs a literal`);
        else keys.set(text, isPlural);
      },
      JSXText({ value, start }) {
        if (isWord(value.trim())) report(start, `not translated: ${value.trim()}`);
      },
      JSXAttribute(attribute) {
        const text = textOf(attribute);
        if (text !== undefined && isWord(text)) report(attribute.start, `not translated: ${text}`);
      },
    }).visit(program);
  }
  return { keys, problems };
}

function textOf({ name, value }: JSXAttribute): string | undefined {
  if (name.type !== 'JSXIdentifier' || !SHOWN.has(name.name)) return undefined;
  return value?.type === 'Literal' && typeof value.value === 'string' ? value.value : undefined;
}

function literalOf(node: Expression | { readonly type: string } | undefined): string | undefined {
  return node?.type === 'Literal' && 'value' in node && typeof node.value === 'string'
    ? node.value
    : undefined;
}

/** Reports whether a text must be translated. */
function isWord(text: string): boolean {
  return /\p{L}{2}/u.test(text) && !NAMES.test(text);
}
