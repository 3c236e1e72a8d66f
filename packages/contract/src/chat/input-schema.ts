/** A JSON Schema for which `schemaProblems` returns no problems. */
export type InputSchema = Readonly<Record<string, unknown>>;

/** Maximum length of an input schema as JSON text, in UTF-16 code units. */
const MAX_TOOL_SCHEMA_LENGTH = 8000;
const MAX_DEPTH = 8;
const MAX_PROBLEMS = 10;
const TYPES: readonly unknown[] = [
  'object',
  'array',
  'string',
  'number',
  'integer',
  'boolean',
  'null',
];

/**
 * Returns the problems of an input schema, each to be shown after "inputSchema". Only keywords whose evaluation takes linear time
 * are permitted: a regular expression or a reference could occupy the service with one call.
 */
export function schemaProblems(schema: unknown): string[] {
  if (!isObject(schema)) return [': must be an object'];
  if (JSON.stringify(schema).length > MAX_TOOL_SCHEMA_LENGTH)
    return [`: must have at most ${MAX_TOOL_SCHEMA_LENGTH} characters as JSON`];
  const problems = [...problemsOf(schema, '', 0)];
  if (schema['type'] !== 'object') problems.unshift('.type: must be "object"');
  return problems.slice(0, MAX_PROBLEMS);
}

type Rule = (value: unknown, path: string, depth: number) => Iterable<string>;

const count: Rule = (value, path) =>
  require(Number.isSafeInteger(value) &&
    Number(value) >= 0, path, 'must be a whole number of at least 0');
const number: Rule = (value, path) => require(typeof value === 'number', path, 'must be a number');
const text: Rule = (value, path) => require(typeof value === 'string', path, 'must be a string');
const anything: Rule = () => [];

const KEYWORDS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [
    'type',
    (value, path) => {
      const types = Array.isArray(value) ? value : [value];
      const isKnown = types.length > 0 && types.every((type) => TYPES.includes(type));
      return require(isKnown, path, 'must be a JSON Schema type or a list of them');
    },
  ],
  [
    'properties',
    function* (value, path, depth) {
      if (!isObject(value)) return yield `${path}: must be an object`;
      for (const [name, schema] of Object.entries(value))
        yield* problemsOf(schema, `${path}.${name}`, depth + 1);
    },
  ],
  [
    'required',
    (value, path) => {
      const isNames = Array.isArray(value) && value.every((name) => typeof name === 'string');
      return require(isNames, path, 'must be a list of strings');
    },
  ],
  [
    'additionalProperties',
    (value, path) => require(typeof value === 'boolean', path, 'must be true or false'),
  ],
  ['items', (value, path, depth) => problemsOf(value, path, depth + 1)],
  [
    'anyOf',
    function* (value, path, depth) {
      if (!Array.isArray(value) || value.length === 0)
        return yield `${path}: must be a list of schemas`;
      for (const [at, schema] of value.entries())
        yield* problemsOf(schema, `${path}[${at}]`, depth + 1);
    },
  ],
  [
    'enum',
    (value, path) =>
      require(Array.isArray(value) && value.length > 0, path, 'must be a list of values'),
  ],
  ['const', anything],
  ['default', anything],
  ['minimum', number],
  ['maximum', number],
  ['minLength', count],
  ['maxLength', count],
  ['minItems', count],
  ['maxItems', count],
  ['title', text],
  ['description', text],
]);

function* problemsOf(schema: unknown, path: string, depth: number): Generator<string> {
  if (!isObject(schema)) return yield `${path}: must be an object`;
  if (depth > MAX_DEPTH) return yield `${path}: must be at most ${MAX_DEPTH} levels deep`;
  for (const [keyword, value] of Object.entries(schema)) {
    const rule = KEYWORDS.get(keyword);
    if (rule === undefined) yield `${path}.${keyword}: this keyword is not supported`;
    else yield* rule(value, `${path}.${keyword}`, depth);
  }
}

function require(isMet: boolean, path: string, problem: string): string[] {
  return isMet ? [] : [`${path}: ${problem}`];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
