import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { EXIT, Failure } from './failure.ts';
import type { Shell } from './shell.ts';

/** The stored sign-in. The file contains a secret, so only its owner may read it. */
export interface Configuration {
  readonly url?: string | undefined;
  /** API key of a space. */
  readonly key?: string | undefined;
  /** Session of a user. */
  readonly token?: string | undefined;
  /** Space that commands use without `--space`. */
  readonly spaceId?: string | undefined;
}

const MEMBERS = ['url', 'key', 'token', 'spaceId'] as const;

export function configurationPath({ env }: Pick<Shell, 'env'>): string {
  const base = env['XDG_CONFIG_HOME'];
  const folder = base ? base : join(env['HOME'] || homedir(), '.config');
  return join(folder, 'gatehouse', 'config.json');
}

/** Reads the configuration file. Returns an empty configuration if there is none. */
export function readConfiguration(shell: Pick<Shell, 'env'>): Configuration {
  const path = configurationPath(shell);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  return parse(text, path);
}

function parse(text: string, path: string): Configuration {
  const invalid = () =>
    new Failure({
      exitCode: EXIT.misconfigured,
      code: 'cli.configuration-invalid',
      message: `${path} is not a configuration file. Delete the file and run "gatehouse login".`,
    });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid();
  const found = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    MEMBERS.flatMap((name) => {
      const member = found[name];
      if (member === undefined) return [];
      if (typeof member !== 'string') throw invalid();
      return [[name, member]];
    }),
  );
}

/** Replaces the configuration file atomically, with mode 0600 in a folder with mode 0700. */
export function writeConfiguration(shell: Pick<Shell, 'env'>, configuration: Configuration): void {
  const path = configurationPath(shell);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  rmSync(draft, { force: true });
  writeFileSync(draft, `${JSON.stringify(configuration, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}

/** Deletes the configuration file. */
export function deleteConfiguration(shell: Pick<Shell, 'env'>): void {
  rmSync(configurationPath(shell), { force: true });
}
