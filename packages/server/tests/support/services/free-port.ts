import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * The range of the returned ports. Linux and macOS assign the ports from 32768 to connections and to servers that listen on port 0, so
 * another test cannot get one of our ports while its server restarts.
 */
const FIRST = 20_000;
const END = 32_768;

/** Listens on a free port, so that no service can use the port until the returned object is disposed. */
export async function occupyPort(): Promise<AsyncDisposable & { readonly port: number }> {
  for (;;) {
    const port = randomInt(FIRST, END);
    const server = createServer();
    if (!(await canListen(server, port))) continue;
    return {
      port,
      async [Symbol.asyncDispose]() {
        server.close();
        await once(server, 'close');
      },
    };
  }
}

const returned = new Set<number>();

/** Returns a port that was free when the function checked, and a different one for each call in a process. */
export async function freePort(): Promise<number> {
  for (;;) {
    await using occupied = await occupyPort();
    if (returned.has(occupied.port)) continue;
    returned.add(occupied.port);
    return occupied.port;
  }
}

async function canListen(server: Server, port: number): Promise<boolean> {
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return false;
  }
}
