import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy whose connections a test can cut or stall. */
export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  /** Number of connections so far. */
  connections(): number;
  /** Closes all connections. */
  cut(): void;
  /** Stops forwarding answers on the open connections, without closing them. */
  stall(): void;
}

export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<{ readonly client: Socket; readonly server: Socket }>();
  let count = 0;
  const proxy = createServer((client) => {
    count++;
    const server = connect(Number(port), hostname);
    const pair = { client, server };
    open.add(pair);
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(pair);
        client.destroy();
        server.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const cut = () => {
    for (const { client } of open) client.destroy();
  };
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    connections: () => count,
    cut,
    stall: () => {
      for (const { client, server } of open) server.unpipe(client).resume();
    },
    async [Symbol.asyncDispose]() {
      cut();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
