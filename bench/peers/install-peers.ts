import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages for the ingest benchmarks. */
export const INGEST_PEERS = {
  express: '5.3.0',
  cloudevents: '10.0.0',
  pg: '8.23.1',
  redis: '6.3.1',
  '@durable-streams/server': '0.3.7',
};

/** Package for the vector search benchmark. */
export const VECTOR_PEERS = { 'sqlite-vec': '0.1.9' };

/**
 * Installs packages into a folder without running install scripts. Requires an npm registry.
 *
 * @param packages versions by name.
 */
export function installPeers(folder: string, packages: Readonly<Record<string, string>>): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: packages }));
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}
