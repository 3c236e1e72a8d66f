import { newDatabase } from '../../../src/storage/postgres/database.suite.ts';
import type { ChildServer } from '../services/child-server.ts';
import { freePort } from '../services/free-port.ts';
import { startService, temporaryDirectory } from '../services/service.ts';

export interface Replicas extends AsyncDisposable {
  readonly services: ChildServer[];
  readonly databaseUrl: string;
}

/**
 * Starts services in separate processes on one PostgreSQL database, whichever database engine this test run uses.
 *
 * @param databaseUrl default: a new database.
 * @param flags command-line options for `node`.
 */
export async function startReplicas(
  count: number,
  env: Readonly<Record<string, string>> = {},
  databaseUrl?: string,
  flags: readonly string[] = [],
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
          flags,
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
