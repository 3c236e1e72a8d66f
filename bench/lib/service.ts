import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildServer, startChild } from './child-server.ts';

const MAIN = join(import.meta.dirname, '../../packages/server/src/main.ts');
const ADMIN = { email: 'admin@example.com', password: 'bench-password-1234' };

/** The product as it is started by `npm start`, on a data directory, with a space and a key in it. */
export interface Service extends ChildServer {
  readonly spaceId: string;
  /** For the `Authorization` header: a key with every scope. */
  readonly authorization: string;
}

/** A temporary data directory that is removed when it is disposed. */
export function temporaryDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts the service as an operator would, but for the limit on exchanges from one address. */
export function startService(dataDir: string): Promise<ChildServer> {
  return startChild(MAIN, {
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_ADMIN_EMAIL: ADMIN.email,
    GATEHOUSE_ADMIN_PASSWORD: ADMIN.password,
    GATEHOUSE_RATE_LIMIT_EXCHANGE: '0',
  });
}

/** The same on a fresh directory, with a space and a key made. */
export async function startProvisioned(dataDir: string): Promise<Service> {
  const server = await startService(dataDir);
  const post = async (path: string, body: unknown, token?: string) => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const { token } = await post('/auth/sign-in/email', ADMIN);
  const { id } = await post('/spaces', { name: 'Bench' }, String(token));
  const { key } = await post(
    `/spaces/${id}/api-keys`,
    { name: 'bench', scopes: ['links:write', 'events:write', 'read'] },
    String(token),
  );
  return Object.assign(server, { spaceId: String(id), authorization: `Bearer ${key}` });
}
