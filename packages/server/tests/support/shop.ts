import type { ChildOptions, ChildServer } from './child-server.ts';
import { type Client, clientOf } from './client.ts';
import { type MadeSpace, makeKey, makeSpace, signIn } from './provision.ts';
import { startService, temporaryDirectory } from './service.ts';

/** A service on a data directory of its own, with a space and a key that may do everything in it. */
export interface Shop extends AsyncDisposable {
  readonly service: ChildServer;
  readonly dataDir: string;
  readonly client: Client;
  /** The first administrator's session. */
  readonly session: string;
  readonly space: MadeSpace;
  readonly key: string;
}

/** Opens one for the tests of a file; dispose it after them. */
export async function openShop(options: ChildOptions = {}): Promise<Shop> {
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
