import { join, relative } from 'node:path';
import { type Operation, operations } from '@gatehouse/contract';
import ts from 'typescript';
import { ROOT } from './bundle.ts';

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

/** The part of a JSON Schema that provides comments. */
interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described | readonly Described[];
  readonly anyOf?: readonly Described[];
}

const KEYWORDS: readonly (readonly [ts.TypeFlags, string])[] = [
  [ts.TypeFlags.Unknown, 'unknown'],
  [ts.TypeFlags.Never, 'never'],
  [ts.TypeFlags.Boolean, 'boolean'],
  [ts.TypeFlags.String, 'string'],
  [ts.TypeFlags.Number, 'number'],
  [ts.TypeFlags.Null, 'null'],
  [ts.TypeFlags.Undefined, 'undefined'],
];

/**
 * Prints a type without references to other types, except `Response`. The descriptions of a schema become doc comments of
 * the members.
 *
 * @throws {Error} for a kind of type that the contract does not use.
 */
function expandType(checker: ts.TypeChecker, type: ts.Type, schema?: Described): string {
  const print = (one: ts.Type, of?: Described) => expandType(checker, one, of);
  for (const [flag, keyword] of KEYWORDS) if (type.flags & flag) return keyword;
  if (type.isStringLiteral() || type.isNumberLiteral()) return JSON.stringify(type.value);
  if (type.flags & ts.TypeFlags.BooleanLiteral) return checker.typeToString(type);
  if (type.isUnion()) return printUnion(checker, type, schema);
  if (!(type.flags & ts.TypeFlags.Object))
    throw new Error(`unexpected ${checker.typeToString(type)}`);
  if (type.symbol?.name === 'Response') return 'Response';
  if (checker.isTupleType(type) || checker.isArrayType(type)) {
    const isReadonly = /^readonly /.test(checker.typeToString(type)) ? 'readonly ' : '';
    const items = [schema, ...(schema?.anyOf ?? [])].find((one) => one?.items !== undefined)?.items;
    const elements = checker
      .getTypeArguments(type as ts.TypeReference)
      .map((one, index) => print(one, Array.isArray(items) ? items[index] : (items as Described)));
    return checker.isTupleType(type)
      ? `${isReadonly}[${elements.join(', ')}]`
      : `${isReadonly}(${elements[0]})[]`;
  }
  return printObject(checker, type, schema);
}

function printUnion(checker: ts.TypeChecker, type: ts.UnionType, schema?: Described): string {
  // The checker represents `boolean` as `true | false`.
  const isBoolean = (one: ts.Type) => Boolean(one.flags & ts.TypeFlags.BooleanLiteral);
  const others = type.types.filter((one) => !isBoolean(one));
  const booleans = type.types.filter(isBoolean);
  const printed = [
    ...others.map((one) => expandType(checker, one, schema)),
    ...(booleans.length === 2 ? ['boolean'] : booleans.map((one) => checker.typeToString(one))),
  ];
  const rank = (text: string) => ['null', 'undefined'].indexOf(text);
  return [...new Set(printed)].sort((a, b) => rank(a) - rank(b)).join(' | ');
}

function printObject(checker: ts.TypeChecker, type: ts.Type, schema?: Described): string {
  const indexes = checker
    .getIndexInfosOfType(type)
    .map(({ type: value }) => `[name: string]: ${expandType(checker, value)};`);
  const members = checker.getPropertiesOfType(type).map((member) => {
    const of = memberOf(schema, member.name);
    const mark = member.flags & ts.SymbolFlags.Optional ? '?' : '';
    const text = expandType(checker, checker.getTypeOfSymbol(member), of);
    const name = /^\w+$/.test(member.name) ? member.name : JSON.stringify(member.name);
    const description = descriptionOf(of)?.replaceAll('*/', '* /');
    const comment = description === undefined ? '' : `/** ${description} */\n`;
    return `${comment}${name}${mark}: ${text};`;
  });
  return `{\n${[...indexes, ...members].join('\n')}\n}`;
}

/** Returns the description of a schema. A schema that also permits `null` has it in its first alternative. */
function descriptionOf(schema: Described | undefined): string | undefined {
  return schema?.description ?? schema?.anyOf?.find((one) => one.description)?.description;
}

function memberOf(schema: Described | undefined, name: string): Described | undefined {
  if (schema === undefined) return undefined;
  const own = schema.properties?.[name];
  if (own !== undefined) return own;
  for (const one of schema.anyOf ?? []) {
    const found = memberOf(one, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
