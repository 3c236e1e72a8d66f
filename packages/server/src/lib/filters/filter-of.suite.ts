import assert from 'node:assert/strict';
import { type Filter, parse } from '@gatehouse/filter';

/** Parses a valid filter. */
export function filterOf(json: object): Filter {
  const parsed = parse(json);
  assert.ok(parsed.ok);
  return parsed.filter;
}
