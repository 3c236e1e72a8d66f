import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import {
  DuplicateMember,
  invalidLine,
  isJsonObject,
  type JsonObject,
  parseExactly,
} from './exact-json.ts';
import { folderFailure } from './open-input.ts';

export type { JsonObject };

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Maximum duration in days, about a century. The times of longer ones could be beyond the range of dates. */
const MAX_DAYS = 36_500;

/** Parses a duration in seconds, or with a unit: `90`, `90s`, `15m`, `2h`, `30d`. */
export function duration(text: string): number {
  const [, count = '', unit = 's'] = /^(\d+)([smhd])?$/.exec(text) ?? [];
  if (count === '') throw new InvalidArgumentError('Use seconds or a unit: 90, 15m, 2h or 30d.');
  const seconds = Number(count) * (UNITS[unit] ?? 1);
  if (seconds > MAX_DAYS * 86_400) throw new InvalidArgumentError(`Use at most ${MAX_DAYS}d.`);
  return seconds;
}

/** Returns a parser of integers. */
export function integer(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum)
      throw new InvalidArgumentError(`Use an integer from ${minimum} to ${maximum}.`);
    return value;
  };
}

/** Parses JSON, or the content of a file: `@filter.json`. Numbers keep all digits. */
export function json(text: string): unknown {
  const source = text.startsWith('@') ? contentOf(text.slice(1)) : text;
  try {
    return parseExactly(source);
  } catch (error) {
    throw new InvalidArgumentError(
      error instanceof DuplicateMember
        ? error.message
        : 'Use JSON, or @ and the name of a file with JSON.',
    );
  }
}

function contentOf(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
    throw folderFailure(path);
  }
  const line = invalidLine(bytes);
  if (line !== undefined) throw new InvalidArgumentError(`Line ${line} is not valid UTF-8.`);
  // Removes the byte order mark that some editors write.
  return new TextDecoder().decode(bytes);
}

/**
 * Returns a parser of JSON objects, or of the content of a file: `@filter.json`.
 *
 * @param example an object for the error.
 */
export function jsonObject(example: string): (text: string) => JsonObject {
  return (text) => {
    const value = json(text);
    if (!isJsonObject(value))
      throw new InvalidArgumentError(`Use a JSON object, such as ${example}.`);
    return value;
  };
}

export const filter: (text: string) => JsonObject = jsonObject('{"department":{"eq":"support"}}');

/**
 * Parses a time, or a duration before now: `2026-10-18T00:00:00Z`, `2h`. Returns the time in UTC. A time in UTC is returned unchanged,
 * because `Date` drops digits after the milliseconds and turns the 30th of February into the 2nd of March.
 */
export function time(text: string): string {
  if (/^\d+[smhd]$/.test(text)) return new Date(Date.now() - duration(text) * 1000).toISOString();
  const value = Date.parse(text);
  if (Number.isNaN(value) || !/^\d{4}-/.test(text))
    throw new InvalidArgumentError(
      'Use a time such as 2026-10-18T00:00:00Z, or 2h for two hours ago.',
    );
  return UTC.test(text) ? text : new Date(value).toISOString();
}

/** Rejects an ID that would change the path of a request, such as the value of a shell variable that is not set. */
export function id(text: string): string {
  if (!/^\.{0,2}$/.test(text)) return text;
  throw new InvalidArgumentError('Use an ID, such as 0199f3a2-8e30-7d12-a5b6-c7d8e9f0a1b2.');
}

/** Rejects an empty identifier, such as the value of a shell variable that is not set: its link would belong to nobody. */
export function userId(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('Use an identifier, or omit --sub to create a link of nobody.');
}

/** Parses an http or https URL without credentials. */
export function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username + url.password !== '')
    throw new InvalidArgumentError('Use a URL such as http://localhost:3000/hook.');
  return url.href;
}

/** Adds a value to a repeatable option. */
export function collect(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text];
}
