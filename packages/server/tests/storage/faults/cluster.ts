import { type Client, clientOf } from '../../support/http/client.ts';
import { type Haproxy, startHaproxy } from '../../support/http/haproxy.ts';
import type { ChildServer } from '../../support/services/child-server.ts';
import { freePort } from '../../support/services/free-port.ts';
import { startService } from '../../support/services/service.ts';
import { type DatabaseLink, startDatabaseLink } from './database-link.ts';
import type { DatabaseServer } from './database-server.ts';

const REPLICAS = 3;
const DATABASE = 'gatehouse';
const SECRET = Buffer.alloc(32, 'faults').toString('base64');

/** Replicas behind a load balancer. Each replica has a separate link to the same database. */
export interface Cluster extends AsyncDisposable {
  readonly url: string;
  readonly client: Client;
  readonly replicas: readonly ChildServer[];
  readonly links: readonly DatabaseLink[];
  readonly balancer: Haproxy;
  restart(index: number): Promise<void>;
}

export async function startCluster(
  server: DatabaseServer,
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Promise<Cluster> {
  await using opened = new AsyncDisposableStack();
  await server.sql(`create database ${DATABASE} template template0`);
  const links: DatabaseLink[] = [];
  const replicas: ChildServer[] = [];
  const start = async (index: number, port: number): Promise<ChildServer> => {
    const replica = await startService(dataDir, {
      port,
      env: {
        ...env,
        GATEHOUSE_SECRET: SECRET,
        GATEHOUSE_BASE_URL: 'http://gatehouse.test',
        GATEHOUSE_DATABASE_URL: server.url(DATABASE, links[index]?.port),
      },
    });
    replicas[index] = replica;
    return replica;
  };
  for (let index = 0; index < REPLICAS; index += 1) {
    links.push(opened.use(await startDatabaseLink(server.port)));
    await start(index, await freePort());
    opened.defer(async () => void (await replicas[index]?.stop('SIGKILL')));
  }
  const balancer = opened.use(await startHaproxy(replicas.map(({ port }) => port)));
  const all = opened.move();
  return {
    url: balancer.url,
    client: clientOf(balancer.url),
    replicas,
    links,
    balancer,
    restart: async (index) => void (await start(index, replicas[index]?.port ?? 0)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
