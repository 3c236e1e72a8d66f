import { AnswerFailure, type AnswerFailureCode } from '../answerer.ts';

/** The failure code and detail for each SDK error, by the name of the error. */
const MEANINGS: Readonly<Record<string, readonly [AnswerFailureCode, string]>> = {
  AI_InvalidResponseDataError: ['broken', 'incomplete stream'],
  AI_JSONParseError: ['garbage', 'not JSON'],
  AI_TypeValidationError: ['garbage', 'protocol violation'],
};
const SIMPLE_NAME = /^[a-z]+(?:_[a-z]+){0,5}$/;
const MAX_NAME_LENGTH = 40;

/** Detail of a failure whose response names the rejected parameter `stream_options`. */
const STREAM_OPTIONS = ' (stream_options)';

/** Converts an HTTP status of the model's server to a failure. Uses only names of errors and parameters from the body. */
export function failureOfStatus(status: number, body: string): AnswerFailure {
  const name = errorName(body);
  const parameter = /stream_options|include_usage/.test(body) ? STREAM_OPTIONS : '';
  const detail = `HTTP ${status}${name && ` ${name}`}${parameter}`;
  return new AnswerFailure(codeOfStatus(status, name), detail);
}

/** Part of a request that a server may have rejected. `usage`: the request for token counts. `any`: an unknown part. */
export type RejectedPart = 'tools' | 'usage' | 'any';

/**
 * Returns the part of a request that a server may have rejected, or `null` if the error has another cause. The result is
 * a guess from the status and the message, because servers report a rejected part differently.
 */
export function rejectedPart(error: unknown): RejectedPart | null {
  if (!(error instanceof AnswerFailure) || error.code === 'withheld') return null;
  const status = /^HTTP (400|404|422|501)\b/.exec(error.detail)?.[1];
  if (status === undefined) return null;
  if (error.detail.endsWith(STREAM_OPTIONS)) return 'usage';
  return status === '400' || status === '422' ? 'any' : 'tools';
}

/**
 * Converts an error of the SDK to a failure. A value that is not an `Error` is an error that the model's server reported
 * in the stream. The result does not refer to the error, which contains the address, the headers, the prompt and the
 * response.
 */
export function failureOf(error: unknown): AnswerFailure {
  if (!(error instanceof Error)) return reportedFailure(Object(error));
  for (
    let cause: unknown = error, depth = 0;
    cause instanceof Error && depth < 8;
    cause = cause.cause, depth++
  ) {
    if (cause instanceof AnswerFailure) return cause;
    const meaning = Object.hasOwn(MEANINGS, cause.name) ? MEANINGS[cause.name] : undefined;
    if (meaning !== undefined) return new AnswerFailure(...meaning);
  }
  return new AnswerFailure('failed', 'unknown SDK error');
}

function reportedFailure(error: { code?: unknown; type?: unknown }): AnswerFailure {
  const name = nameIn(error);
  const status = Number.isInteger(error.code) ? Number(error.code) : 500;
  return new AnswerFailure(
    codeOfStatus(status, name),
    `error reported in the stream${name && ` ${name}`}`,
  );
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

/** Returns an error name such as `model_not_found`, or an empty string if the name could contain a secret. */
function nameIn({ code, type }: { code?: unknown; type?: unknown }): string {
  for (const name of [code, type])
    if (typeof name === 'string' && name.length <= MAX_NAME_LENGTH && SIMPLE_NAME.test(name))
      return name;
  return '';
}
