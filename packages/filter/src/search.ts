import { fold } from './fold.ts';
import type { JsonValue } from './json.ts';
import type { FilterRecord } from './record.ts';

/**
 * Whether a text stands in the file name or in any string of the metadata, letter case aside. Strings are
 * values at any depth, in objects and arrays; keys are not searched.
 */
export function foundInRecord(record: FilterRecord, text: string): boolean {
  const wanted = fold(text);
  // A list, not recursion: metadata may be nested deeper than the stack.
  const pending: JsonValue[] = [record.fileName, record.metadata];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') {
      if (fold(value).includes(wanted)) return true;
    } else if (typeof value === 'object' && value !== null) {
      for (const part of Object.values(value)) pending.push(part);
    }
  }
  return false;
}
