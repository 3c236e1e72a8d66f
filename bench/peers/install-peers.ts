import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES = { express: '5.3.0', cloudevents: '10.0.0', pg: '8.23.1', redis: '6.3.1' };

/** Installs the peers' packages into a folder without running install scripts. Requires an npm registry. */
export function installPeers(
  folder: string,
  packages: Readonly<Record<string, string>> = PACKAGES,
): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: packages }));
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}
