// The reference server of Durable Streams with its file store.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { env } from 'node:process';

interface Server {
  start(): Promise<unknown>;
}
type ServerClass = new (options: { host: string; port: number; dataDir: string }) => Server;

const load = createRequire(join(String(env['PEER_FOLDER']), 'package.json'));
const { DurableStreamTestServer } = load('@durable-streams/server') as {
  DurableStreamTestServer: ServerClass;
};
const port = Number(env['GATEHOUSE_PORT']);
const dataDir = String(env['PEER_DATA']);
await new DurableStreamTestServer({ host: '127.0.0.1', port, dataDir }).start();
// The server has no health check. Reading an existing stream answers 200.
await fetch(`http://127.0.0.1:${port}/readyz`, { method: 'PUT' });
process.once('SIGTERM', () => process.exit(0));
