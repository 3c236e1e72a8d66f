import type { Filter } from '../language/filter.ts';
import type { JsonValue } from '../language/json.ts';
import { type FilterRecord, fieldValue } from './record.ts';
import { stringsContaining } from './search.ts';

/**
 * Returns the value of a record that a predicate of `predicatesOf` tests. On a path through arrays: the values found. For
 * `search`: the strings that contain the text. `undefined`: the field is absent.
 */
export function actualValue(predicate: Filter, record: FilterRecord): JsonValue | undefined {
  if (predicate.kind === 'search') return [...stringsContaining(record, predicate.text)];
  if (!('field' in predicate)) throw new TypeError('the filter is not a predicate');
  const found = fieldValue(record, predicate.field);
  return found.kind === 'single' ? found.value : found.values;
}
