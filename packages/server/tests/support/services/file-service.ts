import { after } from 'node:test';
import { type Client, clientOf } from '../http/client.ts';
import { contractClient } from '../http/contract-client.ts';
import type { ChildOptions, ChildServer } from './child-server.ts';
import { startService, temporaryDirectory } from './service.ts';

export interface FileService {
  readonly service: ChildServer;
  readonly dataDir: string;
  /** Client that asserts that every response matches the contract. */
  readonly client: Client;
  /** Client without contract checks. */
  readonly bareClient: Client;
}

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
