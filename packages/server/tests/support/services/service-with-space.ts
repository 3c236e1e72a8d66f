import { type Client, clientOf } from '../http/client.ts';
import { type MadeSpace, makeKey, makeSpace, signIn } from '../provision.ts';
import { copyMigratedDatabase } from '../storage/migrated-database.ts';
import type { ChildOptions, ChildServer } from './child-server.ts';
import { type InProcessOptions, startInProcess } from './in-process-service.ts';
import { startService, temporaryDirectory } from './service.ts';

/** A running service with a new data directory, a space, and an API key with all scopes. */
export interface ServiceWithSpace<S = Pick<ChildServer, 'url' | 'port'>> extends AsyncDisposable {
  readonly service: S;
  readonly dataDir: string;
  readonly client: Client;
  readonly session: string;
  readonly space: MadeSpace;
  readonly key: string;
}

export type ChildWithSpace = ServiceWithSpace<ChildServer>;

/** Starts the service in the process of the tests. */
export function startServiceWithSpace(options: InProcessOptions = {}): Promise<ServiceWithSpace> {
  return withSpace(async (dataDir) => {
    const { url, port, stop } = await startInProcess(dataDir, options);
    return { url, port, [Symbol.asyncDispose]: stop };
  });
}

/**
 * Starts the service in a process of its own, for tests that read its output or memory, end it, or block their own process, such as
 * with `spawnSync`.
 */
export function startChildWithSpace(options: ChildOptions = {}): Promise<ChildWithSpace> {
  return withSpace((dataDir) => startService(dataDir, options));
}

async function withSpace<S extends AsyncDisposable & { readonly url: string }>(
  start: (dataDir: string) => Promise<S>,
): Promise<ServiceWithSpace<S>> {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(temporaryDirectory());
  copyMigratedDatabase(directory.path);
  const service = opened.use(await start(directory.path));
  const client = clientOf(service.url);
  const session = await signIn(client);
  const space = await makeSpace(client, session);
  const key = await makeKey(client, session, space.id);
  const all = opened.move();
  return {
    service,
    dataDir: directory.path,
    client,
    session,
    space,
    key,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
