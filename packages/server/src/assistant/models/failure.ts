import { AnswerFailure, type AnswerFailureCode } from '../answerer.ts';

/** Names of errors of the SDK, and what they mean. */
const MEANINGS: Readonly<Record<string, readonly [AnswerFailureCode, string]>> = {
  AI_InvalidResponseDataError: ['broken', 'no end'],
  AI_JSONParseError: ['garbage', 'not JSON'],
  AI_TypeValidationError: ['garbage', 'not in the protocol'],
  AI_NoOutputGeneratedError: ['broken', 'no end'],
  AI_ToolChoiceViolationError: ['garbage', 'a search where none is offered'],
};
const SIMPLE_NAME = /^[a-z]+(?:_[a-z]+){0,5}$/;
const LONGEST_NAME = 40;

/** What a status of the model's server means. `body` is looked at for the name of an error alone. */
export function failureOfStatus(status: number, body: string): AnswerFailure {
  const name = errorName(body);
  return new AnswerFailure(codeOfStatus(status, name), `HTTP ${status}${name && ` ${name}`}`);
}

/**
 * What an error of the SDK means, or what is no `Error`: what the model's server said in the middle of a
 * stream that began well. Nothing of it is kept: it holds the address, the headers, the prompt and what the
 * model's server sent.
 */
export function failureOf(error: unknown): AnswerFailure {
  if (!(error instanceof Error) || error.name === 'AI_StreamProviderError')
    return reported(Object(error));
  for (
    let at: unknown = error, depth = 0;
    at instanceof Error && depth < 8;
    at = at.cause, depth++
  ) {
    if (at instanceof AnswerFailure) return at;
    const meaning = Object.hasOwn(MEANINGS, at.name) ? MEANINGS[at.name] : undefined;
    if (meaning !== undefined) return new AnswerFailure(...meaning);
  }
  return new AnswerFailure('failed', 'unknown error of the SDK');
}

function reported(error: { code?: unknown; type?: unknown }): AnswerFailure {
  const name = nameIn(error);
  const status = Number.isInteger(error.code) ? Number(error.code) : 500;
  return new AnswerFailure(codeOfStatus(status, name), `error in the stream${name && ` ${name}`}`);
}

function codeOfStatus(status: number, name: string): AnswerFailureCode {
  if (name === 'content_filter' || name === 'content_policy_violation') return 'withheld';
  if (status === 429 || status === 503 || status === 529) return 'overloaded';
  if (/rate_limit|overloaded|server_busy/.test(name)) return 'overloaded';
  if (status === 408 || status === 504) return 'stalled';
  return status >= 500 ? 'failed' : 'refused';
}

function errorName(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: { code?: unknown; type?: unknown } };
    return nameIn(error ?? {});
  } catch {
    return '';
  }
}

/** Such as `model_not_found`: only when it is so plain that it can hold no secret; else empty. */
function nameIn({ code, type }: { code?: unknown; type?: unknown }): string {
  for (const name of [code, type])
    if (typeof name === 'string' && name.length <= LONGEST_NAME && SIMPLE_NAME.test(name))
      return name;
  return '';
}
