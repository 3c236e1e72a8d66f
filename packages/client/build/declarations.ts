import { join, relative } from 'node:path';
import { type Operation, operations } from '@gatehouse/contract';
import ts from 'typescript';
import { ROOT } from './bundle.ts';
import { type Described, expandType } from './expand-type.ts';

const SOURCES = join(ROOT, 'src');
const API = join(SOURCES, 'api.ts');

/**
 * Returns the declaration files of the client by path, such as `http/list.d.ts`. The type `Api`, which derives from the
 * contract, is expanded, so the files need neither the contract nor TypeBox.
 */
export function declarations(): Map<string, string> {
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const program = ts.createProgram([join(SOURCES, 'index.ts')], {
    ...options,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    rootDir: SOURCES,
    outDir: SOURCES,
  });
  const files = new Map<string, string>();
  for (const file of program.getSourceFiles()) {
    if (file.fileName === API || !file.fileName.startsWith(`${SOURCES}/`)) continue;
    const { emitSkipped } = program.emit(file, (path, text) => {
      files.set(relative(SOURCES, path), withJsExtensions(text));
    });
    if (emitSkipped) throw new Error(`no declarations for ${file.fileName}`);
  }
  return files.set('api.d.ts', apiDeclarations(program));
}

/** In declarations, TypeScript keeps the extension `.ts` of imports. */
function withJsExtensions(text: string): string {
  return text.replaceAll(/(from |import\()(['"]\.[^'"]*)\.ts(['"])/g, '$1$2.js$3');
}

function apiDeclarations(program: ts.Program): string {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(API);
  const exported = source && checker.getSymbolAtLocation(source);
  const api = exported && checker.getExportsOfModule(exported).find(({ name }) => name === 'Api');
  if (source === undefined || api === undefined) throw new Error('api.ts has no type Api');
  const byRoute = new Map(operations.map((one) => [routeOf(one), one]));
  const routes = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(api)).map((route) => {
    const operation = byRoute.get(route.name);
    if (operation === undefined) throw new Error(`the contract has no operation ${route.name}`);
    const text = expandType(checker, checker.getTypeOfSymbol(route), shapeOf(operation));
    return `/** ${operation.summary}. */\nreadonly ${JSON.stringify(route.name)}: ${text};`;
  });
  const rest = source.statements
    .filter((one) => ts.isTypeAliasDeclaration(one) && isExported(one) && one.name.text !== 'Api')
    .map((one) => one.getFullText(source).trim());
  return indent([
    "import type { Page } from './http/list.js';",
    '/** All operations by route. A `!` after the method marks operations that accept an `Idempotency-Key`. */',
    `export interface Api {\n${routes.join('\n')}\n}`,
    ...rest,
    '',
  ]);
}

function indent(texts: readonly string[]): string {
  let depth = 0;
  const lines = texts
    .flatMap((text) => text.split('\n'))
    .map((line) => {
      if (line.startsWith('}')) depth--;
      const indented = `${'  '.repeat(depth)}${line}`;
      if (line.endsWith('{')) depth++;
      return indented;
    });
  return lines.join('\n');
}

function isExported(node: ts.TypeAliasDeclaration): boolean {
  return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
}

function routeOf({ method, path, idempotent }: Operation): string {
  return `${method}${idempotent === true ? '!' : ''} ${path}`;
}

/** Returns the schemas of an operation in the form of its member of `Api`. */
function shapeOf({ body, query, responses }: Operation): Described {
  const schemas = Object.values(responses).flatMap(({ schema }) => schema ?? []);
  const response: Described = { anyOf: schemas as readonly Described[] };
  return {
    properties: { body: body ?? {}, query: query ?? {}, response } as Record<string, Described>,
  };
}
