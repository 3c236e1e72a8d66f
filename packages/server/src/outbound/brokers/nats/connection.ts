import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
} from '@nats-io/transport-node';
import { failureOf } from './failure.ts';

/** Time for which connecting is retried, so that a short outage fails nothing. */
const CONNECT_WITHIN_MS = 5_000;
const DIAL_MS = 2_000;
const RETRY_AFTER_MS = 250;
/** A silent connection is closed after two unanswered pings. */
const PING_MS = 5_000;

export interface NatsOptions {
  /** `nats://` or `tls://` URLs of the servers of one cluster, without credentials; `tls://` requires TLS. */
  readonly servers: readonly string[];
  /** Template with `{spaceId}`, `{type}` and `{source}`; see `subjectOf`. */
  readonly subject: string;
  readonly user: string | null;
  readonly password: string | null;
  readonly token: string | null;
  /** Text of a credentials file: a JWT and the seed of an nkey. */
  readonly credentials: string | null;
}

export interface Connection {
  /** Returns the connection, or connects. Throws `SinkFailure`. */
  get(): Promise<NatsConnection>;
  close(): Promise<void>;
}

/**
 * Creates a connection that is opened on first use and after it broke. The client library's reconnection is off:
 * messages in flight must fail at once, since the caller publishes unacknowledged events again.
 */
export function createConnection(options: NatsOptions): Connection {
  const connecting = connectionOptions(options);
  const closing = new AbortController();
  let current: Promise<NatsConnection> | null = null;

  async function dial(): Promise<NatsConnection> {
    const deadline = performance.now() + CONNECT_WITHIN_MS;
    for (;;) {
      try {
        const connection = await connect(connecting);
        connection.closed().then(forget, forget);
        return connection;
      } catch (error) {
        const failure = failureOf(error);
        if (failure.reason !== 'unreachable' || performance.now() > deadline) throw failure;
      }
      await sleep(RETRY_AFTER_MS, null, { signal: closing.signal });
    }
  }

  function forget(): void {
    current = null;
  }

  return {
    get: () => {
      current ??= dial().catch((error: unknown) => {
        forget();
        throw failureOf(error);
      });
      return current;
    },
    close: async () => {
      closing.abort();
      const connection = await current?.catch(() => null);
      await connection?.close();
    },
  };
}

function connectionOptions(options: NatsOptions): ConnectionOptions {
  const { servers, user, password, token, credentials } = options;
  return {
    name: 'gatehouse',
    servers: [...servers],
    reconnect: false,
    timeout: DIAL_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    noAsyncTraces: true,
    ...(servers.some((server) => server.startsWith('tls:')) ? { tls: {} } : {}),
    ...(user === null || password === null ? {} : { user, pass: password }),
    ...(token === null ? {} : { token }),
    ...(credentials === null
      ? {}
      : { authenticator: credsAuthenticator(new TextEncoder().encode(credentials)) }),
  };
}
