import { after } from 'node:test';
import { type Client, clientOf } from '../http/client.ts';
import { contractClient } from '../http/contract-client.ts';
import { copyMigratedDatabase } from '../storage/migrated-database.ts';
import type { ChildOptions, ChildServer } from './child-server.ts';
import { type InProcessOptions, startInProcess } from './in-process-service.ts';
import { startService, temporaryDirectory } from './service.ts';

/** A service that all tests of a file use. It stops after the tests. */
export interface FileService<S = Pick<ChildServer, 'url' | 'port'>> {
  readonly service: S;
  readonly dataDir: string;
  /** Client that asserts that every response matches the contract. */
  readonly client: Client;
  /** Client without contract checks. */
  readonly bareClient: Client;
}

/**
 * Starts a service in the process of the tests. Such a start takes a quarter of the processor time of a start in a new process, which
 * first loads and compiles the code.
 */
export function serviceOfThisFile(options: InProcessOptions = {}): Promise<FileService> {
  return serviceFrom((dataDir) => startInProcess(dataDir, options));
}

/**
 * Starts a service in a process of its own, for tests that read its output, end it, or block their own process, such as with
 * `spawnSync`.
 */
export function childServiceOfThisFile(
  options: ChildOptions = {},
): Promise<FileService<ChildServer>> {
  return serviceFrom((dataDir) => startService(dataDir, options));
}

async function serviceFrom<S extends Running>(
  start: (dataDir: string) => Promise<S>,
): Promise<FileService<S>> {
  const directory = temporaryDirectory();
  copyMigratedDatabase(directory.path);
  const service = await start(directory.path);
  after(async () => {
    await service.stop();
    directory[Symbol.dispose]();
  });
  const bareClient = clientOf(service.url);
  return { service, dataDir: directory.path, client: contractClient(bareClient), bareClient };
}

interface Running {
  readonly url: string;
  readonly port: number;
  stop(): Promise<unknown>;
}
