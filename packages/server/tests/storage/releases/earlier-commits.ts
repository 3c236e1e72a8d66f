import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { postgresMigrations } from '../../../src/storage/migrations/index.ts';

const ROOT = join(import.meta.dirname, '../../../../..');
const MIGRATIONS = 'packages/server/src/storage/migrations';

/** A commit whose migrations this release continues. */
export interface EarlierCommit {
  readonly commit: string;
  /** Migrations on PostgreSQL that this release adds. */
  readonly added: readonly string[];
}

/** Kinds of upgrades in docs/operations.md: one replica after the other, or with all replicas stopped. */
export type Upgrade = 'rolling' | 'stopped';

/**
 * Finds the earlier release of an upgrade in the first-parent history. `GATEHOUSE_TEST_EARLIER_RELEASE` names another commit.
 *
 * The default for `rolling` is the oldest commit from which operators may upgrade one replica after the other. The default for
 * `stopped` is the last commit before the newest migration that needs stopped replicas.
 *
 * @returns The reason if there is no such commit.
 */
export function findEarlierCommit(upgrade: Upgrade): EarlierCommit | string {
  const current = Object.keys(postgresMigrations);
  const named = process.env['GATEHOUSE_TEST_EARLIER_RELEASE'];
  if (named !== undefined) {
    const earlier = earlierOf(named, current);
    if (earlier === null) return `${named} is not an earlier release`;
    return kindOf(earlier) === upgrade ? earlier : `${named} needs another kind of upgrade`;
  }
  const changed = candidates();
  if (changed === null) return 'git or the history of the repository is missing';
  const commits = changed.flatMap((commit) => earlierOf(commit, current) ?? []);
  const found = commits.filter((one) => kindOf(one) === upgrade);
  const commit = upgrade === 'rolling' ? found.at(-1) : found[0];
  return commit ?? 'the history contains no such release';
}

/** Returns the commits that changed migrations, and their parents, newest first. Returns `null` if git fails. */
function candidates(): string[] | null {
  const changes = git('log', '--first-parent', '--format=%H %P', '--', MIGRATIONS);
  if (changes === null) return null;
  return changes
    .split('\n')
    .flatMap((line) => line.split(' ').slice(0, 2))
    .filter((commit) => commit !== '');
}

function kindOf({ added }: EarlierCommit): Upgrade {
  return added.every((name) => name.endsWith('+')) ? 'rolling' : 'stopped';
}

/** Returns `null` if the commit has a migration that this release does not have, or if it does not exist. */
function earlierOf(commit: string, current: readonly string[]): EarlierCommit | null {
  const known = migrationsOf(commit);
  if (known === null || known.length === 0) return null;
  if (known.some((name) => !current.includes(name))) return null;
  return { commit, added: current.filter((name) => !known.includes(name)) };
}

function migrationsOf(commit: string): string[] | null {
  const index = git('show', `${commit}:${MIGRATIONS}/postgres/index.ts`);
  if (index === null) return null;
  return [...index.matchAll(/^ +'(\d{4}-[^']+)':/gm)].map(([, name = '']) => name);
}

/** Returns the output of a git command, or `null` if it fails or git is not installed. */
function git(...args: readonly string[]): string | null {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: [...stdio] });
  } catch {
    return null;
  }
}
