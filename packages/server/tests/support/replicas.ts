import { newDatabase } from '../../src/storage/postgres/database.suite.ts';
import { type ChildServer, freePort } from './child-server.ts';
import { startService, temporaryDirectory } from './service.ts';

export interface Replicas extends AsyncDisposable {
  readonly services: ChildServer[];
  readonly databaseUrl: string;
}

/**
 * Services, each a process of its own, on one database of PostgreSQL whichever backend the tests run on.
 *
 * @param databaseUrl a new one when it is not given.
 */
export async function startReplicas(
  count: number,
  env: Readonly<Record<string, string>> = {},
  databaseUrl?: string,
): Promise<Replicas> {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(temporaryDirectory());
  const url = databaseUrl ?? (await newDatabase());
  const services: ChildServer[] = [];
  for (let index = 0; index < count; index += 1)
    services.push(
      opened.use(
        await startService(directory.path, {
          port: await freePort(),
          env: {
            GATEHOUSE_DATABASE_URL: url,
            GATEHOUSE_SECRET: Buffer.alloc(32, 7).toString('base64'),
            GATEHOUSE_DRAIN_SECONDS: '0',
            ...env,
          },
        }),
      ),
    );
  const all = opened.move();
  return { services, databaseUrl: url, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
