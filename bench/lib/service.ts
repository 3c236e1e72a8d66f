import type { ChildServer } from '../../packages/server/tests/support/child-server.ts';
import { clientOf } from '../../packages/server/tests/support/client.ts';
import { makeKey, makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import { startService } from '../../packages/server/tests/support/service.ts';

/** The product as it is started by `npm start`, on a data directory, with a space and a key in it. */
export interface Service extends ChildServer {
  readonly spaceId: string;
  /** For the `Authorization` header: a key that may make links and send events. */
  readonly authorization: string;
}

type Env = Readonly<Record<string, string>>;

// The load comes from one address, which no client does.
const NO_LIMIT = { GATEHOUSE_RATE_LIMIT_EXCHANGE: '0' };

export function startExisting(dataDir: string, env: Env = {}): Promise<ChildServer> {
  return startService(dataDir, { env: { ...NO_LIMIT, ...env } });
}

/** Starts on a fresh directory, and makes a space and a key. */
export async function startProvisioned(dataDir: string, env: Env = {}): Promise<Service> {
  const server = await startExisting(dataDir, env);
  const client = clientOf(server.url);
  const session = await signIn(client);
  const { id } = await makeSpace(client, session);
  const key = await makeKey(client, session, id);
  return Object.assign(server, { spaceId: id, authorization: `Bearer ${key}` });
}
