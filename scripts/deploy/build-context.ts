import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { ROOT } from './files.ts';

/**
 * Returns the files of the build context: the repository without the files that `.dockerignore` excludes. If several
 * patterns match a file or its parent folders, the last of these patterns applies.
 * https://docs.docker.com/build/concepts/context/#dockerignore-files
 */
export function contextFiles(): string[] {
  const rules = readRules();
  return repositoryFiles().filter((file) => isIncluded(file, rules));
}

interface Rule {
  readonly pattern: string;
  readonly excludes: boolean;
}

function readRules(): Rule[] {
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ pattern: line.replace(/^!/, ''), excludes: !line.startsWith('!') }));
}

function isIncluded(file: string, rules: readonly Rule[]): boolean {
  const decides = rules.findLast(({ pattern }) =>
    pathsOf(file).some((path) => matches(path, pattern)),
  );
  return decides?.excludes !== true;
}

function matches(path: string, pattern: string): boolean {
  return path === pattern || matchesGlob(path, pattern);
}

/** Returns the file and its parent folders. */
function pathsOf(file: string): string[] {
  const paths = [file];
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) paths.push(folder);
  return paths;
}

/** Returns the tracked files and the untracked files that git does not ignore. */
function repositoryFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8 })
    .split('\0')
    .filter((file) => file !== '');
}
