import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
} from '@nats-io/transport-node';
import { failureOf } from './failure.ts';

/** Maximum time for connection attempts. A shorter outage causes no failure. */
const CONNECT_TIMEOUT_MS = 5_000;
const DIAL_TIMEOUT_MS = 2_000;
const RETRY_DELAY_MS = 250;
/** The client closes the connection after two unanswered pings. */
const PING_INTERVAL_MS = 5_000;

export interface NatsOptions {
  /** `nats://` or `tls://` URLs of one cluster, without credentials. `tls://` requires TLS. */
  readonly servers: readonly string[];
  /** Subject template with the placeholders `{spaceId}`, `{type}` and `{source}`. */
  readonly subject: string;
  readonly user: string | null;
  readonly password: string | null;
  readonly token: string | null;
  /** Text of a credentials file: a JWT and the seed of an nkey. */
  readonly credentials: string | null;
}

export interface Connection {
  /** Throws `SinkFailure`. */
  get(): Promise<NatsConnection>;
  close(): Promise<void>;
}

/**
 * Creates a connection that opens on first use and again after a failure. Reconnection by the client library is off
 * because messages in flight must fail immediately. The caller publishes unacknowledged events again.
 */
export function createConnection(options: NatsOptions): Connection {
  const connecting = connectionOptions(options);
  const closing = new AbortController();
  let current: Promise<NatsConnection> | null = null;

  async function dial(): Promise<NatsConnection> {
    const deadline = performance.now() + CONNECT_TIMEOUT_MS;
    for (;;) {
      try {
        const connection = await connect(connecting);
        connection.closed().then(forget, forget);
        return connection;
      } catch (error) {
        const failure = failureOf(error);
        if (failure.reason !== 'unreachable' || performance.now() > deadline) throw failure;
      }
      await sleep(RETRY_DELAY_MS, null, { signal: closing.signal });
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
    timeout: DIAL_TIMEOUT_MS,
    pingInterval: PING_INTERVAL_MS,
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
