import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FULL } from '../../packages/filter/tests/campaign.ts';
import { contextFiles } from './build-context.ts';
import { readStages, type Stage, type Step } from './dockerfile.ts';
import { ROOT } from './files.ts';

/** Thrown if a step fails because npm cannot download packages. This does not indicate an error in the Dockerfile. */
export class NoPackages extends Error {
  override readonly name = 'NoPackages';
}

/**
 * Executes the Dockerfile without a container engine. Each stage is a folder below `home`. `COPY` copies files between
 * these folders. `RUN` runs its command on this machine, in the folder of the stage. Steps that install system packages
 * are skipped. The folders do not contain the files of the base images. Only `npm run test:chaos` runs `npm ci`, which takes half of the
 * processor time of the build; otherwise the packages of this checkout are copied, which `npm ci` has installed with the same lock file.
 *
 * @returns the folder of the last stage, which is the root of the image.
 * @throws {NoPackages} if the registry is unreachable and npm's cache is incomplete.
 */
export function playImage(home: string): string {
  const folders = new Map<string, string>();
  for (const stage of readStages()) {
    const root = join(home, stage.name);
    mkdirSync(root, { recursive: true });
    play(stage, root, folders);
    folders.set(stage.name, root);
  }
  return [...folders.values()].at(-1) ?? home;
}

function play(stage: Stage, root: string, stages: ReadonlyMap<string, string>): void {
  let folder = '/';
  for (const step of stage.steps) {
    if (step.keyword === 'WORKDIR') {
      folder = step.text;
      mkdirSync(join(root, folder), { recursive: true });
    } else if (step.keyword === 'COPY') copy(step, root, folder, stages);
    else if (step.keyword === 'RUN' && !/\bapt-get\b/.test(step.text)) run(step, root, folder);
  }
}

/** Supports the forms of `COPY` that the Dockerfile uses. https://docs.docker.com/reference/dockerfile/#copy */
function copy(step: Step, root: string, folder: string, stages: ReadonlyMap<string, string>): void {
  const words = step.text.split(/\s+/);
  const target = words.pop() ?? '';
  const to = target.startsWith('/') ? join(root, target) : join(root, folder, target);
  const from = step.flags.find((flag) => flag.startsWith('--from='))?.slice('--from='.length);
  if (from !== undefined) {
    for (const source of words) cpSync(join(stages.get(from) ?? '', source), to, COPY_OPTIONS);
    return;
  }
  const files = contextFiles();
  for (const source of words) {
    const inside = files.filter((file) => file === source || file.startsWith(`${source}/`));
    if (inside.length === 0)
      throw new Error(`COPY ${source}: .dockerignore excludes all of its files`);
    for (const file of inside) {
      const rest =
        file === source ? (target.endsWith('/') ? basename(file) : '') : file.slice(source.length);
      cpSync(join(ROOT, file), join(to, rest), COPY_OPTIONS);
    }
  }
}

const COPY_OPTIONS = { recursive: true, verbatimSymlinks: true } as const;

function run(step: Step, root: string, folder: string): void {
  const cwd = join(root, folder);
  if (!FULL && step.text.startsWith('npm ci ')) {
    for (const installed of globSync('{node_modules,bench/node_modules,packages/*/node_modules}', {
      cwd: ROOT,
    }))
      execFileSync('cp', ['-a', '--parents', installed, cwd], { cwd: ROOT });
    rmSync(join(cwd, 'node_modules/.cache'), { recursive: true, force: true });
    return;
  }
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', step.text], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, npm_config_prefer_offline: 'true' },
  });
  if (status === 0) return;
  const told = `RUN ${step.text}\n${stdout}${stderr}`;
  if (/ENOTCACHED|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|CERT_/.test(told))
    throw new NoPackages(told);
  throw new Error(told);
}

/** Removes all write permissions from a folder, to simulate a read-only root file system. */
export function makeReadOnly(folder: string): void {
  execFileSync('chmod', ['-R', 'a-w,a+rX', folder]);
}

/** Deletes a folder that `makeReadOnly` has changed. */
export function removeReadOnly(folder: string): void {
  if (!existsSync(folder)) return;
  execFileSync('chmod', ['-R', 'u+w', folder]);
  rmSync(folder, { recursive: true, force: true });
}

/** Returns the files of a folder that match a pattern, relative to the folder. */
export function filesLike(root: string, pattern: string): string[] {
  return globSync(pattern, { cwd: root });
}

/** Permits other users to access the contents of a folder. */
export function permitEntry(folder: string): void {
  chmodSync(folder, 0o755);
}
