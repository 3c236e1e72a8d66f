import { JetStreamApiError } from '@nats-io/jetstream';
import {
  AuthorizationError,
  ConnectionError,
  InvalidArgumentError,
  NoRespondersError,
  PermissionViolationError,
  TimeoutError,
  UserAuthenticationExpiredError,
} from '@nats-io/transport-node';
import { SinkFailure } from '../event-sink.ts';

/** JetStream error code: the message exceeds the limit of the stream. */
const STREAM_MESSAGE_TOO_LARGE = 10054;

/**
 * Converts an error of the client library. The message contains no text of the library or the server, except
 * JetStream's reason for a rejection.
 *
 * @param subject the subject of the event, if known.
 */
export function failureOf(error: unknown, subject: string | null = null): SinkFailure {
  for (let at = error; at instanceof Error; at = at.cause) {
    const failure = knownFailure(at, subject);
    if (failure !== null) return failure;
  }
  return unreachable(error);
}

function knownFailure(error: Error, subject: string | null): SinkFailure | null {
  if (error instanceof SinkFailure) return error;
  if (error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError)
    return new SinkFailure('unauthorized', 'the NATS server rejected the credentials');
  if (error instanceof PermissionViolationError)
    return new SinkFailure(
      'unauthorized',
      error.operation === 'publish'
        ? `the NATS server does not permit publishing to ${subject ?? 'the subject'}`
        : 'the NATS server does not permit subscribing to _INBOX.>, where acknowledgements arrive',
    );
  if (error instanceof NoRespondersError)
    return new SinkFailure('refused', `no JetStream stream accepts the subject ${subject ?? ''}`);
  if (error instanceof JetStreamApiError)
    return error.code === STREAM_MESSAGE_TOO_LARGE
      ? new SinkFailure('too-large', 'the event exceeds the size limit of its JetStream stream')
      : new SinkFailure('refused', `the JetStream stream rejected the event: ${error.message}`);
  if (error instanceof InvalidArgumentError && error.message.includes('max_payload'))
    return new SinkFailure('too-large', 'the event exceeds the size limit of the NATS server');
  return null;
}

function unreachable(error: unknown): SinkFailure {
  if (error instanceof TimeoutError)
    return new SinkFailure('unreachable', 'the NATS server did not respond in time');
  if (error instanceof ConnectionError && error.message.includes("'tls'"))
    return new SinkFailure(
      'unreachable',
      'the NATS server does not support TLS, which tls:// requires',
    );
  const code = codeOf(error);
  return new SinkFailure(
    'unreachable',
    `the NATS server cannot be reached${code === null ? '' : ` (${code})`}`,
  );
}

function codeOf(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('code' in at && typeof at.code === 'string') return at.code;
  return null;
}
