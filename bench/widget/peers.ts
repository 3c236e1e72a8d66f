import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Chats for embedding that others make: what a page loads of each, from its package on the registry. */
const PEERS = [
  { name: 'deep-chat', version: '2.4.2', bundle: 'dist/deepChat.bundle.js' },
  // Its bundle of modules loads others besides; this one is whole.
  { name: '@n8n/chat', version: '1.37.0', bundle: 'dist/chat.bundle.umd.js' },
  { name: 'flowise-embed', version: '3.1.6', bundle: 'dist/web.js' },
  { name: '@typebot.io/js', version: '0.10.7', bundle: 'dist/web.js' },
] as const;

export interface Peer {
  readonly name: string;
  readonly version: string;
  readonly script: Buffer;
  /** As the element that loads it has it. */
  readonly type: 'module' | 'text/javascript';
}

/** Fetches the peers' packages into a folder. Needs a registry; nothing of theirs is installed or run by us but in a browser. */
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
