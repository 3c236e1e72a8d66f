import { shownName } from '../../lib/json/index.ts';
import { authProblems } from '../formats/read-event.rules.ts';
import {
  addAll,
  attributeStringFault,
  createSourceCheck,
  note,
  optionalString,
  requiredString,
  requiredType,
  storedStringFault,
  versionFault,
} from './attribute.rules.ts';
import { timeFault } from './time.rules.ts';
import { createUriCheck } from './uri.rules.ts';

const NONE: readonly string[] = Object.freeze([]);
export const MAX_PROBLEMS = 100;

const sourceFault = createSourceCheck(createUriCheck());
const schemaFault = createUriCheck();

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
  problems = note(problems, 'specversion', versionFault(event['specversion']));
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
  return typeof value === 'string' ? sourceFault(value) : 'must be a string';
}

function optionalUri(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? schemaFault(value) : 'must be a string';
}

function time(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? timeFault(value) : 'must be a string';
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
    const fault = typeof given === 'string' ? storedStringFault(given) : null;
    if (fault !== null && found.length < MAX_PROBLEMS) {
      found.push(`metadata.${shownName(name)}: ${fault}`);
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
    const fault = typeof given === 'string' ? attributeStringFault(given) : null;
    if (fault !== null && found.length < MAX_PROBLEMS) found.push(`${shownName(name)}: ${fault}`);
  }
  return addAll(problems, found);
}
