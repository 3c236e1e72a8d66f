import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { ROOT } from './files.ts';

/**
 * The files that a build is given: those of the repository that `.dockerignore` lets through. The last pattern that
 * a file, or a folder above it, matches decides. https://docs.docker.com/build/concepts/context/#dockerignore-files
 */
export function contextFiles(): string[] {
  const rules = readRules();
  return repositoryFiles().filter((file) => isLetThrough(file, rules));
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

function isLetThrough(file: string, rules: readonly Rule[]): boolean {
  const decides = rules.findLast(({ pattern }) =>
    pathsOf(file).some((path) => matches(path, pattern)),
  );
  return decides?.excludes !== true;
}

function matches(path: string, pattern: string): boolean {
  return path === pattern || matchesGlob(path, pattern);
}

/** The file and the folders above it. */
function pathsOf(file: string): string[] {
  const paths = [file];
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) paths.push(folder);
  return paths;
}

/** What is or will be under version control, as a fresh clone has it. */
function repositoryFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1e8 })
    .split('\0')
    .filter((file) => file !== '');
}
