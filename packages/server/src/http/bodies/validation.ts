import {
  type Issue,
  MAX_PROBLEMS,
  nameHint,
  STORABLE_PATTERN,
  TIME_OF_DAY_PATTERN,
  TOOL_NAME_PATTERN,
  UUID_PATTERN,
} from '@gatehouse/contract';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import Format from 'typebox/format';
import { compileExplain, type SchemaError } from './explain.ts';

const FIRST_TIME = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

// A time must be an instant that `Date` represents and RFC 3339 can express in UTC. TypeBox also accepts leap seconds and suffixes
// with a time zone (RFC 9557), which `Date` cannot parse.
Format.Set('date-time', (text) => {
  const time = Date.parse(text);
  return Format.IsDateTime(text) && time >= FIRST_TIME && time <= LAST_TIME;
});

export type Checked<T> = { ok: true; value: T } | { ok: false; issues: readonly Issue[] };

/**
 * Returns a function that checks values against a schema. It returns the typed value, or up to `MAX_PROBLEMS` issues in
 * the form `<path>: <problem>`. It neither changes the value nor applies defaults. It compiles the schema at its first call, because compiling
 * the schemas of all operations takes a tenth of the start time.
 */
export function compileCheck<S extends TSchema>(schema: S): (value: unknown) => Checked<Static<S>> {
  let validator: ReturnType<typeof Compile<S>> | undefined;
  let explain: ReturnType<typeof compileExplain> | undefined;
  return (value) => {
    validator ??= Compile(schema);
    if (validator.Check(value)) return { ok: true, value: value as Static<S> };
    explain ??= compileExplain(schema);
    return { ok: false, issues: toIssues(schema, explain(value)) };
  };
}

function toIssues(schema: TSchema, errors: readonly SchemaError[]): Issue[] {
  // TypeBox reports errors for each branch of a union and one error for the union itself. Only the error for the union is shown,
  // except for a nullable value of the right type: its own problems say more than "must be a string or null".
  const nullables = errors.filter((error) => hasRightType(error, errors));
  const unions = errors.filter((error) => error.keyword === 'anyOf' && !nullables.includes(error));
  const messages = new Set<string>();
  for (const error of errors) {
    if (error.keyword === 'boolean' || nullables.includes(error)) continue;
    if (nullables.some((union) => isInBranch(error, union, 1))) continue;
    if (
      unions.some(
        (union) => error !== union && error.schemaPath.startsWith(`${union.schemaPath}/anyOf/`),
      )
    )
      continue;
    for (const message of describe(schema, error)) messages.add(message);
  }
  return [...messages].slice(0, MAX_PROBLEMS).map((message) => ({ message }));
}

/** Reports whether a union of a schema and null rejects a value that has the type of the schema. */
function hasRightType(union: SchemaError, errors: readonly SchemaError[]): boolean {
  if (union.keyword !== 'anyOf') return false;
  const isHere = ({ instancePath }: SchemaError) => instancePath === union.instancePath;
  const [branch = [], nothing = [], other = []] = [0, 1, 2].map((index) =>
    errors.filter((error) => isInBranch(error, union, index)),
  );
  const hasOtherType = branch.some(
    (error) => isHere(error) && ['type', 'anyOf', 'const'].includes(error.keyword),
  );
  const isNullable = nothing.some(
    (error) => isHere(error) && error.keyword === 'type' && error.params.type === 'null',
  );
  return branch.length > 0 && !hasOtherType && isNullable && other.length === 0;
}

function isInBranch({ schemaPath }: SchemaError, union: SchemaError, branch: number): boolean {
  return `${schemaPath}/`.startsWith(`${union.schemaPath}/anyOf/${branch}/`);
}

function describe(schema: TSchema, error: SchemaError): string[] {
  const path = toPath(error.instancePath);
  const at = (text: string, name = path) => `${name === '' ? 'body' : name}: ${text}`;
  switch (error.keyword) {
    case 'type':
      return [at(`must be ${article(String(error.params.type))}`)];
    case 'minimum':
      return [at(`must be at least ${error.params.limit}`)];
    case 'maximum':
      return [at(`must be at most ${error.params.limit}`)];
    case 'minLength':
      return [
        at(
          error.params.limit === 1
            ? 'must not be empty'
            : `must have at least ${error.params.limit} characters`,
        ),
      ];
    case 'maxLength':
      return [at(`must have at most ${error.params.limit} characters`)];
    case 'minItems':
      return [
        at(`must have at least ${error.params.limit} item${error.params.limit === 1 ? '' : 's'}`),
      ];
    case 'maxItems':
      return [at(`must have at most ${error.params.limit} items`)];
    case 'uniqueItems':
      return [at('must not contain duplicate items')];
    case 'required':
      return error.params.requiredProperties.map((name) => {
        const { ifMissing } = propertiesAt(schema, error.schemaPath)[name] ?? {};
        const hint = ifMissing === undefined ? '' : `; ${ifMissing}`;
        return at(`is required${hint}`, join(path, name));
      });
    case 'additionalProperties': {
      const known = Object.keys(propertiesAt(schema, error.schemaPath));
      return error.params.additionalProperties.map((name) => {
        return at(`unknown member${nameHint(name, known)}`, join(path, name));
      });
    }
    case 'pattern':
      return [at(PATTERNS[String(error.params.pattern)] ?? `must match ${error.params.pattern}`)];
    case 'format':
      return [at(`must be ${FORMATS[String(error.params.format)] ?? `a ${error.params.format}`}`)];
    case 'anyOf':
      return [at(`must be ${alternatives(schemaAt(schema, error.schemaPath))}`)];
    case 'const':
      return [at(`must be ${JSON.stringify(error.params.allowedValue)}`)];
    default:
      return [at(error.message)];
  }
}

const PATTERNS: Readonly<Record<string, string>> = {
  [STORABLE_PATTERN]: 'must not contain U+0000 or a lone surrogate',
  [TIME_OF_DAY_PATTERN]: 'must be a time of day, such as 09:30',
  [TOOL_NAME_PATTERN]:
    'must consist of at most 64 lower-case letters, digits and `_`, and start with a letter',
  [UUID_PATTERN]: 'must be a UUID, such as 0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40',
};

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'a time such as 2026-10-18T09:30:00Z (RFC 3339)',
  date: 'a date such as 2026-10-18',
  uri: 'an absolute URI',
};

function article(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

interface Branch {
  readonly const?: unknown;
  readonly type?: string;
  readonly required?: readonly string[];
}

function alternatives(schema: unknown): string {
  const branches = (schema as { anyOf?: Branch[] })?.anyOf ?? [];
  const words = branches.map(({ const: constant, type = 'value', required = [] }) => {
    if (constant !== undefined) return JSON.stringify(constant);
    // Branches of the same type differ in their members.
    const isAmbiguous = branches.filter((branch) => branch.type === type).length > 1;
    return isAmbiguous && required.length > 0
      ? `${article(type)} with ${required.map((name) => `\`${name}\``).join(' and ')}`
      : article(type);
  });
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words.join('');
}

/** Converts a JSON pointer to the path of a member: `/scopes/0` becomes `scopes[0]`. */
function toPath(pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return parts.reduce(
    (path, part) => join(path, part.replaceAll('~1', '/').replaceAll('~0', '~')),
    '',
  );
}

function join(path: string, name: string): string {
  if (/^\d+$/.test(name)) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}

function schemaAt(schema: unknown, schemaPath: string): unknown {
  return schemaPath
    .split('/')
    .slice(1)
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], schema);
}

interface Property {
  /** Instruction for the error message (`Text` in the contract). */
  readonly ifMissing?: string;
}

/** Returns the declared properties of an object schema. Unlike a path in the value, `schemaPath` names the branch of a union. */
function propertiesAt(schema: TSchema, schemaPath: string): Record<string, Property> {
  const at = schemaAt(schema, schemaPath) as { properties?: Record<string, Property> } | undefined;
  return at?.properties ?? {};
}
