import { connectives, type FilterNode } from './ast.ts';
import { describe } from './describe.ts';
import { type Filter, seal } from './filter.ts';
import { isPlainObject } from './json.ts';
import { elementPath, memberPath } from './problem-path.ts';
import { readText } from './read-operator.ts';
import { predicateSize, readPredicate } from './read-predicate.ts';
import { type FilterProblem, Reading } from './reading.ts';

export type ParseResult =
  | { readonly ok: true; readonly filter: Filter }
  | { readonly ok: false; readonly problems: readonly FilterProblem[] };

/** Only placeholders for "all rows", which a filter must not be made of. */
const placeholdersOnly = /^[.*%_?\s]*$/;

/**
 * Reads a filter from a JSON value, as `JSON.parse` makes it. Never throws, whatever the value: the answer
 * is the filter, or every problem in it, in the order of its members. Reading stops at the limit of nodes
 * and at 100 problems; what is nested too deeply is not entered. The language is in this package's README;
 * the sizes are in `limits`.
 */
export function parse(json: unknown): ParseResult {
  const reading = new Reading();
  const root = readFilter(reading, json, '', 1);
  if (root === undefined || reading.problems.length > 0) {
    return { ok: false, problems: reading.problems };
  }
  return { ok: true, filter: seal(root) };
}

function readFilter(
  reading: Reading,
  json: unknown,
  path: string,
  depth: number,
): FilterNode | undefined {
  if (!isPlainObject(json)) {
    return reading.refuse(path, `must be a filter object, not ${describe(json)}`);
  }
  const entries = Object.entries(json);
  const [first] = entries;
  if (first !== undefined && entries.length === 1 && memberSize(...first) === 1) {
    return readMember(reading, ...first, memberPath(path, first[0]), depth)[0];
  }
  if (!reading.enter(path, depth)) return undefined;
  const members: FilterNode[] = [];
  for (const [key, value] of entries) {
    if (reading.stopped) break;
    members.push(...readMember(reading, key, value, memberPath(path, key), depth + 1));
  }
  return { kind: 'and', members };
}

/** How many nodes of its object's `and` a member will be. */
function memberSize(key: string, value: unknown): number {
  return connectives.some((known) => known === key) ? 1 : predicateSize(value);
}

function readMember(
  reading: Reading,
  key: string,
  value: unknown,
  path: string,
  depth: number,
): readonly FilterNode[] {
  const connective = connectives.find((known) => known === key);
  if (connective === undefined) return readPredicate(reading, key, value, path, depth);
  if (!reading.enter(path, depth)) return [];
  switch (connective) {
    case 'and':
    case 'or':
      return [{ kind: connective, members: readMembers(reading, value, path, depth + 1) }];
    case 'not': {
      const member = readFilter(reading, value, path, depth + 1);
      return member === undefined ? [] : [{ kind: 'not', member }];
    }
    case 'search': {
      const text = readSearch(reading, value, path);
      return text === undefined ? [] : [{ kind: 'search', text }];
    }
  }
}

function readMembers(
  reading: Reading,
  json: unknown,
  path: string,
  depth: number,
): readonly FilterNode[] {
  const members: FilterNode[] = [];
  if (!Array.isArray(json)) {
    reading.refuse(path, `must be an array of filters, not ${describe(json)}`);
    return members;
  }
  for (let index = 0; index < json.length && !reading.stopped; index += 1) {
    const member = readFilter(reading, json[index], elementPath(path, index), depth);
    if (member !== undefined) members.push(member);
  }
  return members;
}

function readSearch(reading: Reading, value: unknown, path: string): string | undefined {
  if (typeof value !== 'string') {
    return reading.refuse(path, `must be a string, not ${describe(value)}`);
  }
  const text = readText(reading, value, path);
  if (text !== undefined && placeholdersOnly.test(text)) {
    return reading.refuse(path, 'must hold text to look for, not only placeholders or spaces');
  }
  return text;
}
