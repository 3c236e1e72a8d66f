import { type ImportDeclarationSpecifier, parseSync, Visitor } from 'oxc-parser';

export interface Import {
  /** As written: `./links.rules.ts`, `kysely`; `undefined` where it is computed. */
  readonly specifier: string | undefined;
  /** What an import declaration takes by name; `undefined` if it takes more than names. */
  readonly names: readonly string[] | undefined;
  /** Gone when the program runs. */
  readonly typeOnly: boolean;
  /** A file started by its URL, as a worker is: no import, but a dependency all the same. */
  readonly byUrl: boolean;
  /** 1 for the first. */
  readonly line: number;
}

/**
 * Everything that a TypeScript file brings in: imports and exports from elsewhere, `import()`,
 * import types, `import x = require()`, and `new URL('./file.ts', import.meta.url)`.
 *
 * @throws {SyntaxError} when the file cannot be parsed.
 */
export function readImports(path: string, text: string): Import[] {
  const { program, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new SyntaxError(`${path}: ${errors[0].message}`);
  const found: Import[] = [];
  function add(
    start: number,
    specifier: string | undefined,
    typeOnly = false,
    byUrl = false,
    names?: readonly string[],
  ): void {
    found.push({
      specifier,
      names,
      typeOnly,
      byUrl,
      line: text.slice(0, start).split('\n').length,
    });
  }
  new Visitor({
    ImportDeclaration: (node) =>
      add(
        node.start,
        node.source.value,
        onlyTypes(node.importKind, node.specifiers),
        false,
        namesOf(node.specifiers),
      ),
    ExportNamedDeclaration: (node) => {
      if (node.source === null) return;
      add(node.start, node.source.value, onlyTypes(node.exportKind, node.specifiers));
    },
    ExportAllDeclaration: (node) =>
      add(node.start, node.source.value, onlyTypes(node.exportKind, [])),
    ImportExpression: (node) => add(node.start, literal(node.source)),
    TSImportType: (node) => add(node.start, literal(node.source), true),
    TSImportEqualsDeclaration: (node) => {
      if (node.moduleReference.type !== 'TSExternalModuleReference') return;
      const typeOnly = node.importKind === 'type';
      add(node.start, literal(node.moduleReference.expression), typeOnly);
    },
    NewExpression: (node) => {
      const [url] = node.arguments;
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'URL' || !url) return;
      const file = literal(url);
      if (file !== undefined && /^\.{1,2}\/.*\.[cm]?[jt]sx?$/.test(file)) {
        add(node.start, file, false, true);
      }
    },
  }).visit(program);
  return found;
}

/** `import type { A }` and `import { type A }` alike. */
function onlyTypes(kind: string | undefined, specifiers: readonly object[]): boolean {
  return kind === 'type' || (specifiers.length > 0 && specifiers.every(isType));
}

function isType(
  specifier: { readonly importKind?: unknown } | { readonly exportKind?: unknown },
): boolean {
  const kinds: { readonly importKind?: unknown; readonly exportKind?: unknown } = specifier;
  return (kinds.importKind ?? kinds.exportKind) === 'type';
}

/** The imported names, without those of types alone; `undefined` for a default or a namespace. */
function namesOf(specifiers: readonly ImportDeclarationSpecifier[]): string[] | undefined {
  const named = specifiers.filter((one) => one.type === 'ImportSpecifier');
  if (named.length < specifiers.length) return undefined;
  return named
    .filter((one) => !isType(one))
    .map(({ imported }) => (imported.type === 'Literal' ? imported.value : imported.name));
}

function literal(node: { readonly type: string; readonly value?: unknown }): string | undefined {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}
