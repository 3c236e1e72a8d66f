import fc from 'fast-check';
import type { FilterRecord } from '../src/evaluate/record.ts';
import { typeOf } from '../src/evaluate/record.ts';
import { documentFields, type Scalar } from '../src/language/ast.ts';
import type { Filter } from '../src/language/filter.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../src/language/json.ts';
import { limits } from '../src/language/limits.ts';
import { parse } from '../src/language/parse.ts';
import { filterJsonArbitrary, parsed } from './arbitraries.ts';

/**
 * Generates filters whose field names and operands occur in the given records, so that a useful share of the records
 * match.
 */
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

/** Returns every value in the metadata with its dotted name, which omits the positions in arrays. */
function membersOf(object: JsonObject, prefix: string): NamedValue[] {
  return Object.entries(object).flatMap(([key, value]): NamedValue[] => [
    [prefix + key, value],
    ...partsOf(value).flatMap((part) => membersOf(part, `${prefix}${key}.`)),
  ]);
}

function partsOf(value: JsonValue): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(partsOf);
  return isJsonObject(value) ? [value] : [];
}

/** Returns valid filters that test a field with this value. Returns only `{}` if no filter can name the field. */
function filtersAbout(name: string, value: JsonValue): JsonObject[] {
  const elements: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  const scalars = elements.filter(isScalar);
  const predicates: JsonObject[] = [
    ...[value, ...elements].map((typed) => ({ tp: typeOf(typed) })),
    ...(elements.length === 0 ? [{ eq: null }, { ne: null }, { tp: 'absent' }] : []),
    ...scalars.flatMap((scalar) => [{ eq: scalar }, { ne: scalar }, { in: ['?', scalar, 1] }]),
    ...scalars.flatMap((scalar) => [
      ...(typeof scalar === 'number' || typeof scalar === 'string' ? bounds(scalar) : []),
      ...(typeof scalar === 'string' ? patterns(scalar).map((like) => ({ like })) : []),
    ]),
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
