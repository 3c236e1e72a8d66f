// Checks the first word of doc comments and the length of commit subjects. See "Style" and "Commits" in CONTRIBUTING.md.
import { execFileSync, type StdioOptions } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Commits up to this one are not checked. */
const BASE = '8808bb2e4c3ec6c74f982e0b9c8e85b32dec2c82';
const MAX_SUBJECT = 72;
const OPENING = /\/\*\*[\s*]*(What|Whether|Of|As|How|Where|Those|That|Which)\b/g;

export interface ProseReport {
  /** One line per violation. */
  readonly violations: readonly string[];
  /** Reason why commits were not checked, or `null`. */
  readonly skipped: string | null;
}

/**
 * Checks all tracked TypeScript files of a repository, and the commits between `base` and `HEAD` except merges.
 * Skips the commits if the history does not contain `base`, as in a shallow clone.
 */
export function checkProse(root: string, base = BASE): ProseReport {
  const files = git(root, 'ls-files', '-z', '*.ts', '*.tsx')?.split('\0') ?? [];
  const violations = files
    .filter((file) => file !== '' && existsSync(join(root, file)))
    .flatMap((file) => badOpenings(file, readFileSync(join(root, file), 'utf8')));
  const isKnown = git(root, 'merge-base', '--is-ancestor', base, 'HEAD') !== null;
  const log = isKnown ? git(root, 'log', '--no-merges', '--format=%h %s', `${base}..HEAD`) : null;
  if (log === null) return { violations, skipped: `git does not know ${base.slice(0, 7)}` };
  return { violations: [...violations, ...longSubjects(log)], skipped: null };
}

/** Returns the output of a git command, or `null` if it fails or git is not installed. */
function git(cwd: string, ...args: string[]): string | null {
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    return execFileSync('git', args, { cwd, encoding: 'utf8', stdio });
  } catch {
    return null;
  }
}

function badOpenings(file: string, text: string): string[] {
  return [...text.matchAll(OPENING)].map(({ 0: { length }, 1: word, index }) => {
    const line = text.slice(0, index + length).split('\n').length;
    return `${file}:${line}: doc comment opens with "${word}"; start with a verb or a noun`;
  });
}

function longSubjects(log: string): string[] {
  return log.split('\n').flatMap((line) => {
    const [hash = '', ...words] = line.split(' ');
    const { length } = words.join(' ');
    if (length <= MAX_SUBJECT) return [];
    return [`${hash}: commit subject has ${length} characters; at most ${MAX_SUBJECT}`];
  });
}

if (import.meta.main) {
  const { violations, skipped } = checkProse(join(import.meta.dirname, '..'));
  for (const violation of violations) console.error(violation);
  if (skipped !== null) console.error(`Commit subjects are not checked: ${skipped}.`);
  if (violations.length > 0) process.exitCode = 1;
}
