import ts from 'typescript';

/** The part of a JSON Schema that provides comments. */
export interface Described {
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
export function expandType(checker: ts.TypeChecker, type: ts.Type, schema?: Described): string {
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
