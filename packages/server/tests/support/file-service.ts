import { after } from 'node:test';
import type { ChildOptions, ChildServer } from './child-server.ts';
import { type Client, clientOf } from './client.ts';
import { contractClient } from './contract-client.ts';
import { startService, temporaryDirectory } from './service.ts';

export interface FileService {
  readonly service: ChildServer;
  readonly dataDir: string;
  /** Every answer it gets must be one that the contract names. */
  readonly client: Client;
  /** For what no operation of the contract is. */
  readonly bareClient: Client;
}

/** One service for all tests of a file, on a data directory of its own; it ends with the file. */
export async function serviceOfThisFile(options: ChildOptions = {}): Promise<FileService> {
  const directory = temporaryDirectory();
  const service = await startService(directory.path, options);
  after(async () => {
    await service.stop();
    directory[Symbol.dispose]();
  });
  const bareClient = clientOf(service.url);
  return { service, dataDir: directory.path, client: contractClient(bareClient), bareClient };
}
