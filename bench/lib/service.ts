import { clientOf } from '../../packages/server/tests/support/http/client.ts';
import { makeKey, makeSpace, signIn } from '../../packages/server/tests/support/provision.ts';
import type { ChildServer } from '../../packages/server/tests/support/services/child-server.ts';
import { startService } from '../../packages/server/tests/support/services/service.ts';

export interface Service extends ChildServer {
  readonly spaceId: string;
  /** Value of the `Authorization` header, with an API key that may create links and send events. */
  readonly authorization: string;
  /** The same for a session of an administrator. */
  readonly administrator: string;
}

type Env = Readonly<Record<string, string>>;

// The load comes from a single IP address and few links, which would exceed these limits.
const NO_LIMIT = {
  GATEHOUSE_RATE_LIMIT_EXCHANGE: '0',
  GATEHOUSE_RATE_LIMIT_READS_LINK: '0',
  GATEHOUSE_SEARCH_TIME_LINK: '0',
};
/** Options of Node for the service, for example `--cpu-prof --cpu-prof-dir=/tmp/profiles`. */
const NODE_OPTIONS = process.env['BENCH_SERVICE_NODE_OPTIONS'] ?? '';

export function startExisting(dataDir: string, env: Env = {}): Promise<ChildServer> {
  return startService(dataDir, { env: { ...NO_LIMIT, NODE_OPTIONS, ...env } });
}

export async function startProvisioned(dataDir: string, env: Env = {}): Promise<Service> {
  const server = await startExisting(dataDir, env);
  const client = clientOf(server.url);
  const session = await signIn(client);
  const { id } = await makeSpace(client, session);
  const key = await makeKey(client, session, id);
  return Object.assign(server, {
    spaceId: id,
    authorization: `Bearer ${key}`,
    administrator: `Bearer ${session}`,
  });
}
