import { shownName } from '../../lib/json/index.ts';
import { authProblems } from '../formats/read-event.rules.ts';
import {
  addAll,
  attributeStringProblem,
  createSourceCheck,
  note,
  optionalString,
  requiredString,
  requiredType,
  storedStringProblem,
  versionProblem,
} from './attribute.rules.ts';
import { timeProblem } from './time.rules.ts';
import { createUriCheck } from './uri.rules.ts';

const NONE: readonly string[] = Object.freeze([]);
export const MAX_PROBLEMS = 100;

const sourceProblem = createSourceCheck(createUriCheck());
const schemaProblem = createUriCheck();

const KNOWN = new Set(
  'id source specversion type datacontenttype dataschema subject time data auth metadata'.split(
    ' ',
  ),
);

/**
 * Validates one event of the Gatehouse JSON format, including the CloudEvents rules for strings.
 *
 * @param value a parsed element of `events`.
 * @param plain `true` if all strings are known to be printable ASCII.
 * @returns at most 100 problems, each starting with the path of its member.
 */
export function eventProblems(value: unknown, plain: boolean): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return ['event: must be an object'];
  }
  const event = value as Record<string, unknown>;
  let problems: string[] | null = null;
  problems = note(problems, 'id', requiredString(event['id'], plain));
  problems = note(problems, 'source', requiredUri(event['source']));
  problems = note(problems, 'specversion', versionProblem(event['specversion']));
  problems = note(problems, 'type', requiredType(event['type'], plain));
  problems = note(problems, 'datacontenttype', optionalString(event['datacontenttype'], plain));
  problems = note(problems, 'dataschema', optionalUri(event['dataschema']));
  problems = note(problems, 'subject', optionalString(event['subject'], plain));
  problems = note(problems, 'time', time(event['time']));
  if (event['metadata'] !== undefined) problems = addMetadata(problems, event['metadata'], plain);
  if (event['auth'] !== undefined) problems = addAll(problems, authProblems(event['auth']));
  if (!plain) problems = addExtensions(problems, event);
  return problems === null ? NONE : problems.slice(0, MAX_PROBLEMS);
}

function requiredUri(value: unknown): string | null {
  if (value === undefined) return 'is required';
  return typeof value === 'string' ? sourceProblem(value) : 'must be a string';
}

function optionalUri(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? schemaProblem(value) : 'must be a string';
}

function time(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? timeProblem(value) : 'must be a string';
}

/** `sender`, `version` and `environment` are optional strings. Other members may have any JSON value. */
function addMetadata(problems: string[] | null, value: unknown, plain: boolean): string[] | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return note(problems, 'metadata', 'must be an object');
  }
  const metadata = value as Record<string, unknown>;
  let all = problems;
  for (const name of ['sender', 'version', 'environment']) {
    const given = metadata[name];
    if (given !== undefined && typeof given !== 'string') {
      all = note(all, `metadata.${name}`, 'must be a string');
    }
  }
  if (plain) return all;
  const found: string[] = [];
  for (const name of Object.keys(metadata)) {
    const given = metadata[name];
    const problem = typeof given === 'string' ? storedStringProblem(given) : null;
    if (problem !== null && found.length < MAX_PROBLEMS) {
      found.push(`metadata.${shownName(name)}: ${problem}`);
    }
  }
  return addAll(all, found);
}

/** Unknown members are extension attributes with any JSON value. Strings must be valid attribute strings. */
function addExtensions(problems: string[] | null, event: Record<string, unknown>): string[] | null {
  const found: string[] = [];
  for (const name of Object.keys(event)) {
    if (KNOWN.has(name)) continue;
    const given = event[name];
    const problem = typeof given === 'string' ? attributeStringProblem(given) : null;
    if (problem !== null && found.length < MAX_PROBLEMS)
      found.push(`${shownName(name)}: ${problem}`);
  }
  return addAll(problems, found);
}
