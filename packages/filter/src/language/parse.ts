import { connectives, type FilterNode } from './ast.ts';
import { type Filter, seal } from './filter.ts';
import { isPlainObject } from './json.ts';
import { elementPath, type FilterProblem, memberPath, ParseState } from './parse-state.ts';
import { parsePredicate, parseText, predicateSize } from './predicate.ts';

export type ParseResult =
  | { readonly ok: true; readonly filter: Filter }
  | { readonly ok: false; readonly problems: readonly FilterProblem[] };

/** Matches a search text with only wildcards and whitespace. Authors write such a text to match all records. */
const wildcardsOnly = /^[.*%_?\s]*$/;

/**
 * Parses a filter from a value that `JSON.parse` returned. Never throws. Returns the filter, or its problems in the
 * order of its members. Stops at the limit of nodes and after 100 problems. Skips values that are nested too deeply.
 * The README of this package describes the language.
 *
 * @example
 *   const result = parse({ price: { gtt: 5 } });
 *   if (!result.ok) result.problems; // [{ path: 'price.gtt', message: 'unknown operator (did you mean "gt"?)' }]
 */
export function parse(json: unknown): ParseResult {
  const state = new ParseState();
  const root = parseFilter(state, json, '', 1);
  if (root === undefined || state.problems.length > 0) {
    return { ok: false, problems: state.problems };
  }
  return { ok: true, filter: seal(root) };
}

function parseFilter(
  state: ParseState,
  json: unknown,
  path: string,
  depth: number,
): FilterNode | undefined {
  if (!isPlainObject(json)) {
    return state.mismatch(path, 'a filter object', json);
  }
  const entries = Object.entries(json);
  const [first] = entries;
  if (first !== undefined && entries.length === 1 && memberSize(...first) === 1) {
    return parseMember(state, ...first, memberPath(path, first[0]), depth)[0];
  }
  if (!state.enter(path, depth)) return undefined;
  const members: FilterNode[] = [];
  for (const [key, value] of entries) {
    if (state.stopped) break;
    members.push(...parseMember(state, key, value, memberPath(path, key), depth + 1));
  }
  return { kind: 'and', members };
}

/** Returns the number of nodes that a member of an object contributes to the object's `and`. */
function memberSize(key: string, value: unknown): number {
  return connectives.some((known) => known === key) ? 1 : predicateSize(value);
}

function parseMember(
  state: ParseState,
  key: string,
  value: unknown,
  path: string,
  depth: number,
): readonly FilterNode[] {
  const connective = connectives.find((known) => known === key);
  if (connective === undefined) return parsePredicate(state, key, value, path, depth);
  if (!state.enter(path, depth)) return [];
  switch (connective) {
    case 'and':
    case 'or':
      return [{ kind: connective, members: parseMembers(state, value, path, depth + 1) }];
    case 'not': {
      const member = parseFilter(state, value, path, depth + 1);
      return member === undefined ? [] : [{ kind: 'not', member }];
    }
    case 'search': {
      const text = parseSearch(state, value, path);
      return text === undefined ? [] : [{ kind: 'search', text }];
    }
  }
}

function parseMembers(
  state: ParseState,
  json: unknown,
  path: string,
  depth: number,
): readonly FilterNode[] {
  const members: FilterNode[] = [];
  if (!Array.isArray(json)) {
    state.mismatch(path, 'an array of filters', json);
    return members;
  }
  for (let index = 0; index < json.length && !state.stopped; index += 1) {
    const member = parseFilter(state, json[index], elementPath(path, index), depth);
    if (member !== undefined) members.push(member);
  }
  return members;
}

function parseSearch(state: ParseState, value: unknown, path: string): string | undefined {
  const text = parseText(state, value, path);
  if (text !== undefined && wildcardsOnly.test(text)) {
    return state.addProblem(path, 'must contain text to search for, not only spaces and . * % _ ?');
  }
  return text;
}
