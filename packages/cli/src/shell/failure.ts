import {
  ApiError,
  ConnectionError,
  ForbiddenError,
  GatehouseError,
  InvalidResponseError,
  type Issue,
  RateLimitError,
  ServiceUnavailableError,
  TimeoutError,
  UnauthorizedError,
} from '@gatehouse/client';
import { CommanderError } from 'commander';

/** Exit codes. From 64, they follow sysexits.h: https://man.freebsd.org/cgi/man.cgi?sysexits */
export const EXIT = {
  done: 0,
  /** Some items failed, such as one file of a folder. */
  partial: 1,
  wrongUse: 64,
  rejected: 65,
  noInput: 66,
  unreachable: 69,
  failed: 70,
  tryLater: 75,
  forbidden: 77,
  misconfigured: 78,
  interrupted: 130,
} as const;

export interface FailureInit {
  readonly exitCode: number;
  /** Stable code for programs. */
  readonly code: string;
  readonly message: string;
  readonly issues?: readonly Issue[] | undefined;
  readonly requestId?: string | undefined;
}

/** An error with an exit code. The message says what is wrong and how to fix it. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;
  readonly code: string;
  readonly issues: readonly Issue[];
  readonly requestId: string | undefined;

  constructor({ exitCode, code, message, issues = [], requestId }: FailureInit) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.issues = issues;
    this.requestId = requestId;
  }
}

/** Returns the problems that the message does not contain. The message of an invalid request contains all of them. */
export function problemsBeyondMessage({
  message,
  issues,
}: {
  readonly message: string;
  readonly issues: readonly Issue[];
}): string[] {
  return issues.map((issue) => issue.message).filter((problem) => !message.includes(problem));
}

/** Returns a failure for wrong arguments or options. */
export function wrongUse(message: string): Failure {
  return new Failure({ exitCode: EXIT.wrongUse, code: 'cli.usage', message });
}

/** Returns the failure for SIGINT, SIGTERM and Ctrl+C. */
export function interrupted(): Failure {
  return new Failure({
    exitCode: EXIT.interrupted,
    code: 'cli.interrupted',
    message: 'Interrupted.',
  });
}

/**
 * Converts an error of the client, of the argument parser or of the system.
 *
 * @param keySource the option or variable with the API key. `undefined`: the stored credential is used.
 */
export function failureOf(error: unknown, keySource?: string): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof CommanderError) return wrongUse(error.message.replace(/^error: /, ''));
  if (error instanceof ApiError) return failureOfResponse(error, keySource);
  if (error instanceof ConnectionError || error instanceof TimeoutError) {
    const cause = causeOf(error);
    return new Failure({
      exitCode: EXIT.unreachable,
      code: 'cli.unreachable',
      message: cause.includes('wrong version number')
        ? 'The server does not use TLS at this address. Use http:// in the URL, or the port that uses TLS.'
        : `The service does not respond (${cause}). Check the URL and that the service is running.`,
    });
  }
  if (error instanceof InvalidResponseError) return otherServer(error.message);
  if (error instanceof GatehouseError)
    return new Failure({
      exitCode: EXIT.unreachable,
      code: 'cli.failed',
      message: error.message,
    });
  if (isSystemError(error))
    return new Failure({
      exitCode: EXIT.noInput,
      code: 'cli.failed',
      message: explainSystemError(error),
    });
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new Failure({ exitCode: EXIT.failed, code: 'cli.internal', message });
}

function otherServer(message: string): Failure {
  return new Failure({
    exitCode: EXIT.unreachable,
    code: 'cli.other-server',
    message: `The server is not a Gatehouse service, or a proxy answers in its place. ${message}`,
  });
}

/** Codes of errors about the session or API key. Other errors with status 401 concern a link, a password or a code. */
const OWN_CREDENTIAL: ReadonlySet<string> = new Set([
  ...['access.no-credential', 'access.malformed-credential', 'access.unknown-credential'],
  ...['events.no-credential', 'events.unknown-credential'],
]);

function failureOfResponse(error: ApiError, keySource: string | undefined): Failure {
  const { message, code, issues, requestId } = error;
  // Proxies limit rates and report outages, too.
  if (code === 'http.unknown' && error.status < 500 && !(error instanceof RateLimitError))
    return otherServer(`${message} Check the URL of the service.`);
  if (OWN_CREDENTIAL.has(code)) {
    const remedy =
      keySource === undefined
        ? 'Run "gatehouse login", or set GATEHOUSE_KEY.'
        : `Correct ${keySource}, or remove it to use the credential that "gatehouse login" stores.`;
    return new Failure({
      exitCode: EXIT.forbidden,
      code,
      message: `${message} ${remedy}`,
      requestId,
    });
  }
  return new Failure({ exitCode: exitCodeOf(error), code, message, issues, requestId });
}

function exitCodeOf(error: ApiError): number {
  if (error instanceof UnauthorizedError || error instanceof ForbiddenError) return EXIT.forbidden;
  if (error instanceof RateLimitError || error instanceof ServiceUnavailableError)
    return EXIT.tryLater;
  return error.status >= 500 ? EXIT.unreachable : EXIT.rejected;
}

/** Returns the innermost cause of an error of `fetch`, such as `connect ECONNREFUSED 127.0.0.1:8080`. */
function causeOf(error: Error): string {
  const { cause } = error;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error)
    return causeOf(cause.errors[0]);
  // The messages of OpenSSL end with a line break.
  return cause instanceof Error ? causeOf(cause) : error.message.trim() || error.name;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** Returns the text of an error of the system. A file that does not exist, or that the user may not open, is named in plain words. */
function explainSystemError({ code, path, message }: NodeJS.ErrnoException): string {
  if (path !== undefined && code === 'ENOENT') return `${path} does not exist. Check the path.`;
  if (path !== undefined && code === 'EACCES') return `The permission to open ${path} is missing.`;
  return message;
}
