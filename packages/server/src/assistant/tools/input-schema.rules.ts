import type { InputSchema } from '@gatehouse/contract';
import { Errors } from 'typebox/schema';
import { isObject } from '../../lib/json/index.ts';

/** Maximum length of the arguments of a call as JSON text, in UTF-16 code units. */
const MAX_ARGUMENTS_LENGTH = 16_000;
const MAX_PROBLEMS = 10;

/** Returns the problems of a call's arguments as one text for the model, or `null` if they match the schema. */
export function argumentProblems(schema: InputSchema, input: unknown): string | null {
  if (!isObject(input)) return 'the arguments must be an object';
  if (JSON.stringify(input).length > MAX_ARGUMENTS_LENGTH)
    return `the arguments must have at most ${MAX_ARGUMENTS_LENGTH} characters as JSON`;
  const [isValid, errors] = Errors(schema, input);
  if (isValid) return null;
  return errors
    .slice(0, MAX_PROBLEMS)
    .map(({ instancePath, message }) => `${instancePath === '' ? '/' : instancePath} ${message}`)
    .join('; ');
}
