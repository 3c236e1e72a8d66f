import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { frameReader, toFrame } from './frames.ts';

/** A connection to a broker that fails when a test demands it. A real broker cannot lose a single response. */
export interface BrokerProxy extends AsyncDisposable {
  readonly address: string;
  start(): Promise<void>;
  /** Closes all connections and accepts no more. */
  stop(): Promise<void>;
  /** Closes the connection instead of forwarding the responses to the next `count` requests of the type Produce. */
  loseAnswers(count: number): void;
  /** Returns the number of lost responses. */
  lost(): number;
}

const PRODUCE = 0;

/** Forwards connections from `port` to `target`, both on 127.0.0.1. */
export async function startProxy(port: number, target: number): Promise<BrokerProxy> {
  let server: Server | null = null;
  let toLose = 0;
  let lost = 0;
  const sockets = new Set<Socket>();

  function serve(client: Socket): void {
    const broker = connect(target, '127.0.0.1');
    const produced = new Set<number>();
    const end = () => {
      client.destroy();
      broker.destroy();
    };
    for (const socket of [client, broker]) {
      sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    const forwardRequest = frameReader((request) => {
      if (request.readInt16BE(0) === PRODUCE) produced.add(request.readInt32BE(4));
      broker.write(toFrame(request));
    });
    const forwardResponse = frameReader((response) => {
      if (client.destroyed) return;
      const isProduced = produced.delete(response.readInt32BE(0));
      if (isProduced && toLose > 0) {
        toLose -= 1;
        lost += 1;
        end();
      } else client.write(toFrame(response));
    });
    client.on('data', forwardRequest);
    broker.on('data', forwardResponse);
  }

  async function start(): Promise<void> {
    server = createServer(serve).listen(port, '127.0.0.1');
    await once(server, 'listening');
  }

  async function stop(): Promise<void> {
    if (server === null) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
    server = null;
  }

  await start();
  return {
    address: `127.0.0.1:${port}`,
    start,
    stop,
    loseAnswers: (count) => {
      toLose = count;
    },
    lost: () => lost,
    [Symbol.asyncDispose]: stop,
  };
}
