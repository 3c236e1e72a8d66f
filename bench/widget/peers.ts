import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Embeddable chats of other vendors, with the script that a page loads. */
const PEERS = [
  { name: 'deep-chat', version: '2.4.2', bundle: 'dist/deepChat.bundle.js' },
  // The module bundle imports further files. This bundle is self-contained.
  { name: '@n8n/chat', version: '1.37.0', bundle: 'dist/chat.bundle.umd.js' },
  { name: 'flowise-embed', version: '3.1.6', bundle: 'dist/web.js' },
  { name: '@typebot.io/js', version: '0.10.7', bundle: 'dist/web.js' },
] as const;

export interface Peer {
  readonly name: string;
  readonly version: string;
  readonly script: Buffer;
  readonly type: 'module' | 'text/javascript';
}

/** Downloads the packages into a folder without installing them. Their code runs only in a browser. Requires an npm registry. */
export function fetchPeers(folder: string): Peer[] {
  return PEERS.map(({ name, version, bundle }) => {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', `${name}@${version}`, '--json', '--ignore-scripts'], {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'ignore'],
      }).toString(),
    ) as { filename: string }[];
    const into = join(folder, name.replace('/', '-'));
    execFileSync('mkdir', ['-p', into]);
    execFileSync('tar', ['-xzf', join(folder, String(packed?.filename)), '-C', into]);
    const script = readFileSync(join(into, 'package', bundle));
    const type = bundle.includes('umd') ? 'text/javascript' : 'module';
    return { name, version, script, type };
  });
}
