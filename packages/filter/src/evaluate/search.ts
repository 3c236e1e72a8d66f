import type { JsonValue } from '../language/json.ts';
import type { FilterRecord } from './record.ts';
import { fold } from './text.ts';

/**
 * Yields the strings that contain the search text, ignoring case: the file name and metadata strings at any depth, but not
 * keys.
 */
export function* stringsContaining(record: FilterRecord, text: string): Generator<string> {
  const foldedText = fold(text);
  // Not recursive, because deeply nested metadata would overflow the stack.
  const pending: JsonValue[] = [record.metadata, record.fileName];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') {
      if (fold(value).includes(foldedText)) yield value;
    } else if (typeof value === 'object' && value !== null) {
      for (const part of Object.values(value)) pending.push(part);
    }
  }
}
