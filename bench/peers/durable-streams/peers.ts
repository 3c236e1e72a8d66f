import { join } from 'node:path';
import { startChild } from '../../../packages/server/tests/support/services/child-server.ts';
import { temporaryDirectory } from '../../../packages/server/tests/support/services/service.ts';
import { spawnLoad } from '../../load/spawn-load.ts';
import type { Form, Peer } from '../peer.ts';
import { NO_RUST_SERVER, startRustServer } from './rust-server.ts';

const PATH = '/events';
const STREAMS = 32;

/**
 * The reference server for Node. It writes the file of the stream, calls `fdatasync` and updates the metadata before it responds. The
 * appends to a stream are sequential.
 *
 * @param folder folder with the packages of `INGEST_PEERS`.
 */
export function durableStreamsOnNode(folder: string): Peer {
  return {
    missing: false,
    start: async (opened) => {
      const directory = opened.use(temporaryDirectory());
      const { port } = opened.use(
        await startChild(join(import.meta.dirname, 'node-server.ts'), {
          env: { NODE_ENV: 'production', PEER_FOLDER: folder, PEER_DATA: directory.path },
        }),
      );
      return formsOf('node', 'synced to disk, one append after the other per stream', port);
    },
  };
}

/** The server in Rust. It responds after the `fdatasync` of its write-ahead log, which all waiting appends of a shard share. */
export const DURABLE_STREAMS_IN_RUST: Peer = {
  missing: NO_RUST_SERVER,
  start: async (opened) => {
    const directory = opened.use(temporaryDirectory());
    const { port } = opened.use(await startRustServer(directory.path));
    return formsOf('rust', 'synced to disk (durability: wal)', port);
  },
};

async function formsOf(server: string, acknowledged: string, port: number): Promise<Form[]> {
  for (let index = 0; index < STREAMS; index += 1) await createStream(port, `${PATH}/${index}`);
  return [1, STREAMS].map((streams) => ({
    name: `durable streams (${server}), ${streams === 1 ? 'one stream' : 'one stream per connection'}`,
    acknowledged,
    deduplicated: 'retries of one producer that numbers its appends (not used), not events',
    measure: async (shape, seconds) => {
      const { perSecond } = await spawnLoad({
        kind: 'append',
        path: PATH,
        port,
        authorization: '',
        ...shape,
        streams,
        seconds,
        status: 204,
        requests: Number.MAX_SAFE_INTEGER,
      });
      return perSecond * shape.events;
    },
  }));
}

async function createStream(port: number, path: string): Promise<void> {
  const { status } = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
  });
  if (status !== 201) throw new Error(`the stream was not created: status ${status}`);
}
