/** Replaces `node:fs` in the simulated process. Files of the simulated directory are on the simulated disk. */
import fs from 'node:fs';
import { currentDisk, DIRECTORY } from './disk.ts';

export * from 'node:fs';

const FIRST_DESCRIPTOR = 1_000_000;
/** Ending of the name of the index of a write-ahead log, which is shared memory. */
const INDEX = '-shm';
const paths: string[] = [];

const isIndex = (path: string) => path.endsWith(INDEX);
const databaseOf = (index: string) => index.slice(0, -INDEX.length);

const pathOf = (fd: number) => paths[fd - FIRST_DESCRIPTOR];

export function openSync(path: string, flags: string, mode?: number): number {
  if (!path.startsWith(DIRECTORY)) return fs.openSync(path, flags, mode);
  if (path === DIRECTORY) return FIRST_DESCRIPTOR + paths.push(path) - 1;
  const disk = currentDisk();
  if (flags === 'a') disk.create(path);
  if (disk.sizeOf(path) === null && !isIndex(path)) throw new Error(`there is no file ${path}`);
  return FIRST_DESCRIPTOR + paths.push(path) - 1;
}

export function closeSync(fd: number): void {
  if (pathOf(fd) === undefined) fs.closeSync(fd);
}

export function readSync(
  fd: number,
  buffer: Buffer,
  at: number,
  length: number,
  position: number,
): number {
  const path = pathOf(fd);
  if (path === undefined) return fs.readSync(fd, buffer, at, length, position);
  const bytes = isIndex(path)
    ? currentDisk().readShared(databaseOf(path), position, length)
    : currentDisk().read(path, position, length);
  buffer.set(bytes, at);
  return bytes.length;
}

export function writeSync(
  fd: number,
  buffer: Buffer,
  at: number,
  length: number,
  position: number,
): number {
  const path = pathOf(fd);
  if (path === undefined) return fs.writeSync(fd, buffer, at, length, position);
  const bytes = buffer.subarray(at, at + length);
  if (isIndex(path)) currentDisk().writeShared(databaseOf(path), position, bytes);
  else currentDisk().write(path, position, bytes);
  return length;
}

export function fdatasyncSync(fd: number): void {
  const path = pathOf(fd);
  if (path === undefined) fs.fdatasyncSync(fd);
  else currentDisk().sync(path);
}

/** Syncs the names of the simulated directory. */
export function fsyncSync(fd: number): void {
  const path = pathOf(fd);
  if (path === undefined) fs.fsyncSync(fd);
  else if (path === DIRECTORY) currentDisk().syncNames();
  else currentDisk().sync(path);
}

export function realpathSync(path: string): string {
  return path.startsWith(DIRECTORY) ? path : fs.realpathSync(path);
}

export function existsSync(path: string): boolean {
  return path.startsWith(DIRECTORY) ? currentDisk().sizeOf(path) !== null : fs.existsSync(path);
}

type SimulatedStats = Pick<fs.Stats, 'size' | 'ino' | 'dev'>;

export function statSync(path: string, options?: object): SimulatedStats | undefined {
  if (!path.startsWith(DIRECTORY)) return fs.statSync(path, options) as fs.Stats | undefined;
  // An open write-ahead log that was truncated still exists. Nobody replaces files.
  return { size: currentDisk().sizeOf(path) ?? 0, ino: 0, dev: 0 };
}

export function fstatSync(fd: number): SimulatedStats {
  const path = pathOf(fd);
  return path === undefined ? fs.fstatSync(fd) : (statSync(path) as SimulatedStats);
}
