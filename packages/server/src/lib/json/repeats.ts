import { type Issue, MAX_ISSUES } from '@gatehouse/contract';
import { JsonCursor } from './cursor.ts';
import { shownName } from './member-name.ts';

const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;

/**
 * Returns the number of members of all objects in a parsed value. If the text contains more members, it has duplicate
 * names: `JSON.parse` keeps only the last member with each name. Recursive, so the depth must be limited.
 */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const element of value) count += countMembers(element);
    return count;
  }
  const object = value as Record<string, unknown>;
  for (const name of Object.keys(object)) count += 1 + countMembers(object[name]);
  return count;
}

/**
 * Returns an issue per duplicate member name, at most 100. The bytes must be valid JSON of limited depth.
 *
 * @param path path of the JSON text in the request; empty for a whole body.
 */
export function findRepeats(bytes: Uint8Array, path: string): Issue[] {
  const issues: Issue[] = [];
  visit(new JsonCursor(bytes), path, issues);
  return issues;
}

function visit(cursor: JsonCursor, path: string, issues: Issue[]): void {
  const first = cursor.bytes[cursor.at];
  if (issues.length >= MAX_ISSUES) cursor.skip();
  else if (first === OPEN_OBJECT) visitObject(cursor, path, issues);
  else if (first === OPEN_ARRAY) visitArray(cursor, path, issues);
  else cursor.skip();
}

function visitObject(cursor: JsonCursor, path: string, issues: Issue[]): void {
  const timesSeen = new Map<string, number>();
  cursor.enter();
  while (cursor.nextMember()) {
    const name = cursor.name();
    const times = (timesSeen.get(name) ?? 0) + 1;
    timesSeen.set(name, times);
    const member = path === '' ? shownName(name) : `${path}.${shownName(name)}`;
    if (times === 2 && issues.length < MAX_ISSUES)
      issues.push({ message: `${member}: is given twice` });
    visit(cursor, member, issues);
  }
}

function visitArray(cursor: JsonCursor, path: string, issues: Issue[]): void {
  cursor.enter();
  for (let index = 0; cursor.nextElement(); index++) visit(cursor, `${path}[${index}]`, issues);
}
