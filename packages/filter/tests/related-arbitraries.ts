/** Random filters that are about given records, so that they hold for some of them. */
import fc from 'fast-check';
import { type FilterRecord, fieldType } from '../src/evaluate/evaluate.ts';
import { documentFields, type Scalar } from '../src/language/ast.ts';
import type { Filter } from '../src/language/filter.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../src/language/json.ts';
import { limits } from '../src/language/limits.ts';
import { parse } from '../src/language/parse.ts';
import { filterJsonArbitrary, parsed } from './arbitraries.ts';

/** Filters whose fields and operands the records have, alone and joined with ones that are only random. */
export function relatedFilterArbitrary(records: readonly FilterRecord[]): fc.Arbitrary<Filter> {
  const predicate = fc
    .constantFrom(...records.flatMap(fieldsOf))
    .chain(([name, value]) => fc.constantFrom(...filtersAbout(name, value)));
  const { filter } = fc.letrec<{ filter: JsonObject }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3 },
      { weight: 6, arbitrary: predicate },
      { weight: 1, arbitrary: filterJsonArbitrary },
      { weight: 1, arbitrary: tie('filter').map((not) => ({ not })) },
      { weight: 1, arbitrary: fc.array(tie('filter'), { maxLength: 3 }).map((or) => ({ or })) },
      { weight: 1, arbitrary: fc.array(tie('filter'), { maxLength: 2 }).map((and) => ({ and })) },
    ),
  }));
  return filter.map(parsed);
}

type NamedValue = readonly [name: string, value: JsonValue];

function fieldsOf(record: FilterRecord): NamedValue[] {
  return [
    ...documentFields.map((name): NamedValue => [name, record[name]]),
    ...membersOf(record.metadata, ''),
  ];
}

function membersOf(object: JsonObject, prefix: string): NamedValue[] {
  return Object.entries(object).flatMap(([key, value]): NamedValue[] => [
    [prefix + key, value],
    ...(isJsonObject(value) ? membersOf(value, `${prefix}${key}.`) : []),
  ]);
}

/** All filters that are about a value and can be asked; a key that cannot be named leaves none. */
function filtersAbout(name: string, value: JsonValue): JsonObject[] {
  const scalars = (Array.isArray(value) ? value : [value]).filter(isScalar);
  const predicates: JsonObject[] = [
    { tp: fieldType(value) },
    ...scalars.flatMap((scalar) => [{ eq: scalar }, { ne: scalar }, { in: ['?', scalar, 1] }]),
    ...(typeof value === 'number' || typeof value === 'string' ? bounds(value) : []),
    ...(typeof value === 'string' ? patterns(value).map((like) => ({ like })) : []),
  ];
  const filters = [
    ...predicates.map((predicate) => Object.fromEntries([[name, predicate]])),
    ...scalars.flatMap((text) => (typeof text === 'string' ? searches(text) : [])),
  ].filter((filter) => parse(filter).ok);
  return filters.length > 0 ? filters : [{}];
}

function isScalar(value: JsonValue): value is Scalar {
  return typeof value !== 'object' || value === null;
}

function bounds(operand: number | string): JsonObject[] {
  return [{ gt: operand }, { gte: operand }, { lt: operand }, { lte: operand }];
}

function patterns(value: string): string[] {
  const characters = Array.from(value).slice(0, limits.characters / 2);
  const escaped = characters.map((character) => `\\${character}`);
  return [
    value,
    value.toUpperCase(),
    escaped.join(''),
    `${escaped.slice(0, 1).join('')}%`,
    `%${escaped.slice(-1).join('')}`,
    characters.map(() => '_').join(''),
    `_${escaped.slice(1).join('')}`,
  ];
}

function searches(value: string): JsonObject[] {
  const characters = Array.from(value);
  const parts = [characters, characters.slice(1), characters.slice(0, -1)];
  return parts.flatMap((part) => {
    const search = part.join('');
    return [{ search }, { search: search.toUpperCase() }];
  });
}
