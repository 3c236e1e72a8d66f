import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
} from '@nats-io/transport-node';
import { failureOf } from './failure.ts';
import type { NatsOptions } from './options.ts';

/** Whoever wants a connection waits this long for a server that is away, so that a short absence costs nothing more. */
const WAIT_MS = 5_000;
const DIAL_MS = 2_000;
const BETWEEN_DIALS_MS = 250;
/** A connection that has gone silent is noticed after two of these. */
const PING_MS = 5_000;

export interface Connection {
  /** The connection, made when there is none. Throws `SinkFailure`. */
  get(): Promise<NatsConnection>;
  close(): Promise<void>;
}

/**
 * One connection, made when it is needed. The library's own reconnecting is not used: what is under way is to
 * fail at once when a connection breaks, because whoever publishes keeps what is not acknowledged anyway.
 */
export function createConnection(options: NatsOptions): Connection {
  const connecting = connectionOptions(options);
  const closing = new AbortController();
  let current: Promise<NatsConnection> | null = null;

  async function dial(): Promise<NatsConnection> {
    const deadline = performance.now() + WAIT_MS;
    for (;;) {
      try {
        const connection = await connect(connecting);
        connection.closed().then(forget, forget);
        return connection;
      } catch (error) {
        const failure = failureOf(error);
        if (failure.reason !== 'unreachable' || performance.now() > deadline) throw failure;
      }
      await sleep(BETWEEN_DIALS_MS, null, { signal: closing.signal });
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
