import { connectives, documentFields, type Field } from './ast.ts';
import { limits } from './limits.ts';
import type { Reading } from './reading.ts';
import { textProblem } from './text.ts';

/** Names that no metadata key at the top may have, so that a filter's member has one meaning. */
const reserved: ReadonlySet<string> = new Set([...connectives, ...documentFields]);

/** Reads a member's name that is not a connective's: a document field, or a dotted path into the metadata. */
export function readField(reading: Reading, name: string, path: string): Field | undefined {
  const documentField = documentFields.find((known) => known === name);
  if (documentField !== undefined) return { source: 'document', name: documentField };
  const problem = nameProblem(name);
  if (problem !== undefined) return reading.refuse(path, problem);
  return { source: 'metadata', path: name.split('.') };
}

function nameProblem(name: string): string | undefined {
  if (name === '') return 'a field name must not be empty';
  const problem = textProblem(name);
  if (problem !== undefined) return `a field name ${problem}`;
  const keys = name.split('.');
  if (keys.includes('')) return 'a dotted field name must have a key before and after each dot';
  if (keys.length > limits.depth) return `a field name must have at most ${limits.depth} keys`;
  if (reserved.has(keys[0] ?? '')) {
    return `"${keys[0]}" has no members; a dotted name reaches into the metadata`;
  }
  return undefined;
}
