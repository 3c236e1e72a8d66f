import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { freePort } from '../services/free-port.ts';
import { until } from '../until.ts';
import { type NatsServer, STREAM, startNats } from './nats-server.ts';

/** Three NATS servers with a replicated stream. */
export interface NatsCluster extends AsyncDisposable {
  readonly url: string;
  /** Returns the leader of the stream. */
  leader(): Promise<NatsServer>;
  untilInSync(): Promise<void>;
  messages(): Promise<string[]>;
}

const NAMES = ['nats-1', 'nats-2', 'nats-3'];

export async function startNatsCluster(): Promise<NatsCluster> {
  const ports = [await freePort(), await freePort(), await freePort()];
  const routes = ports.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  const servers = await Promise.all(
    NAMES.map((name, index) =>
      startNats({
        configuration: `server_name: ${name}
          cluster { name: test, listen: "127.0.0.1:${ports[index]}", routes: [${routes}] }`,
      }),
    ),
  );
  const urls = servers.map(({ url }) => url);

  async function manage<T>(work: (manager: JetStreamManager) => Promise<T>): Promise<T> {
    const connection = await connect({ servers: urls });
    try {
      return await work(await jetstreamManager(connection));
    } finally {
      await connection.close();
    }
  }

  const infoOf = () => manage(async (manager) => await manager.streams.info(STREAM));
  await until('the cluster accepts the stream', () =>
    manage(async (manager) => {
      await manager.streams.add({ name: STREAM, subjects: ['gatehouse.>'], num_replicas: 3 });
      return true;
    }).catch(() => false),
  );
  return {
    url: urls.join(','),
    leader: async () => {
      const { cluster } = await infoOf();
      const leader = servers[NAMES.indexOf(cluster?.leader ?? '')];
      if (leader === undefined) throw new Error('the stream has no leader');
      return leader;
    },
    untilInSync: () =>
      until('all replicas are in sync', async () => {
        const { cluster } = await infoOf().catch(() => ({ cluster: undefined }));
        return cluster?.replicas?.every(({ current }) => current) === true;
      }),
    messages: () =>
      manage(async (manager) => {
        const { state } = await manager.streams.info(STREAM);
        const texts: string[] = [];
        for (let seq = state.first_seq; seq > 0 && seq <= state.last_seq; seq += 1)
          texts.push((await manager.streams.getMessage(STREAM, { seq }))?.string() ?? '');
        return texts;
      }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    },
  };
}
