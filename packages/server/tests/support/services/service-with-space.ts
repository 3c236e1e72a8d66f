import { type Client, clientOf } from '../http/client.ts';
import { type MadeSpace, makeKey, makeSpace, signIn } from '../provision.ts';
import type { ChildOptions, ChildServer } from './child-server.ts';
import { startService, temporaryDirectory } from './service.ts';

/** A running service with a new data directory, a space, and an API key with all scopes. */
export interface ServiceWithSpace extends AsyncDisposable {
  readonly service: ChildServer;
  readonly dataDir: string;
  readonly client: Client;
  readonly session: string;
  readonly space: MadeSpace;
  readonly key: string;
}

export async function startServiceWithSpace(options: ChildOptions = {}): Promise<ServiceWithSpace> {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(temporaryDirectory());
  const service = opened.use(await startService(directory.path, options));
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
