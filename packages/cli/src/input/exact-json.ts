import { isUtf8 } from 'node:buffer';

/** The members of `JSON` that TypeScript does not declare: https://tc39.es/proposal-json-parse-with-source/ */
interface JsonWithSource {
  parse(
    text: string,
    reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}
const { parse, rawJSON, isRawJSON }: JsonWithSource = JSON as typeof JSON & JsonWithSource;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Only the last member of a name would remain, so the text cannot be sent as it is written. */
export class DuplicateMember extends Error {
  override readonly name = 'DuplicateMember';
  readonly member: string;
  /** Line of the second member, from 1. */
  readonly line: number;

  constructor(member: string, line: number) {
    super(`Line ${line} repeats the member "${member}". Use each name once.`);
    this.member = member;
    this.line = line;
  }
}

/**
 * Parses JSON like `parseNumbersExactly`.
 *
 * @throws {SyntaxError} if the text is not JSON.
 * @throws {DuplicateMember} if an object has two members of the same name.
 */
export function parseExactly(text: string): unknown {
  const value = parseNumbersExactly(text);
  rejectDuplicates(text);
  return value;
}

/** Parses JSON. `JSON.stringify` writes the numbers of the result exactly as they are written in the text. */
export function parseNumbersExactly(text: string): unknown {
  return parse(text, (_name, member, { source }) =>
    typeof member === 'number' && source !== undefined && source !== String(member)
      ? rawJSON(source)
      : member,
  );
}

/** Reports whether a result of `parseExactly` is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

/** Returns the first line that is not valid UTF-8, from 1. */
export function invalidLine(bytes: Buffer): number | undefined {
  if (isUtf8(bytes)) return undefined;
  const lines = bytes.toString('latin1').split('\n');
  return lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1'))) + 1;
}

/** @param text valid JSON. */
function rejectDuplicates(text: string): void {
  const objects: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{') objects.push(new Set());
    else if (character === '}') objects.pop();
    else if (character === '"') {
      const end = endOfString(text, at);
      const names = objects.at(-1);
      if (names !== undefined && isName(text, end)) {
        const name: string = JSON.parse(text.slice(at, end));
        if (names.has(name)) throw new DuplicateMember(name, text.slice(0, at).split('\n').length);
        names.add(name);
      }
      at = end - 1;
    }
  }
}

/** Returns the offset after the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** Reports whether the string that ends before `end` is the name of a member. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (/\s/.test(text[at] ?? '')) at++;
  return text[at] === ':';
}
