import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SOURCE = join(import.meta.dirname, '..', 'disk.c');

/** Directory of the simulated files. */
export const DIRECTORY = '/simulated';

/** Numbers of the faults in `disk.c`. */
const KINDS = { kill: 1, 'sync-fails': 2, 'write-fails': 3, full: 4, 'sync-drops': 5 } as const;

/** A fault that occurs while the number of steps is between `at` and `until`, both inclusive. */
export interface DiskFault {
  readonly kind: keyof typeof KINDS;
  readonly at: number;
  readonly until: number;
}

type Value = string | number | Uint8Array;

/** Compiles the simulated disk. Returns the path of the library, or null if there is no C compiler or no SQLite header. */
export function compileDisk(directory: string): string | null {
  const library = join(directory, 'disk.so');
  for (const compiler of ['cc', 'gcc', 'clang']) {
    try {
      const options = ['-O2', '-shared', '-fPIC', '-o', library, SOURCE];
      execFileSync(compiler, options, { stdio: 'ignore' });
      return library;
    } catch {
      // Tries the next compiler.
    }
  }
  return null;
}

/** Controls the simulated disk of this process. */
export class Disk {
  readonly #run: (values: readonly Value[]) => unknown;

  constructor(library: string) {
    const db = new DatabaseSync(':memory:', { allowExtension: true });
    db.loadExtension(library, 'sqlite3_disk_init');
    const statements = [1, 2, 3, 4].map((count) =>
      db.prepare(`select disk(${Array(count).fill('?').join()}) as result`),
    );
    this.#run = (values) => statements[values.length - 1]?.get(...values)?.['result'];
  }

  /** Replaces all files by the saved database and forgets all faults. */
  load(seed: number): void {
    this.#run(['load', `${DIRECTORY}/gatehouse.db`]);
    this.#run(['seed', seed]);
  }

  /** Saves the database for `load`. */
  save(): void {
    this.#run(['save', `${DIRECTORY}/gatehouse.db`]);
  }

  reset(): void {
    this.#run(['reset']);
  }

  /** Number of writes, truncations, syncs, creations and deletions so far. */
  get steps(): number {
    return Number(this.#run(['steps']));
  }

  /** Number of operations that failed because of a fault other than a kill. */
  get failures(): number {
    return Number(this.#run(['failures']));
  }

  get isDead(): boolean {
    return this.#run(['isDead']) === 1;
  }

  addFault({ kind, at, until }: DiskFault): void {
    this.#run(['fault', KINDS[kind], at, until]);
  }

  /** Removes all faults. */
  repair(): void {
    this.#run(['repair']);
  }

  /** Ends the process: all open files become invalid. */
  kill(): void {
    this.#run(['kill']);
  }

  /**
   * Starts the next process.
   *
   * @param survival percentage of unsynced changes that survive a power cut. Null: there was no power cut.
   * @param keepsIndex another process uses the index of the log, so it survives.
   */
  restart(survival: number | null, seed: number, keepsIndex: boolean): void {
    this.#run(['seed', seed]);
    this.#run(['restart', survival ?? -1, Number(keepsIndex)]);
  }

  /** Returns the size of a file, or null if it does not exist. */
  sizeOf(path: string): number | null {
    const size = this.#run(['fileSize', path]);
    return size === null ? null : Number(size);
  }

  create(path: string): void {
    this.#run(['fileCreate', path]);
  }

  read(path: string, offset: number, length: number): Uint8Array {
    return this.#run(['fileRead', path, offset, length]) as Uint8Array;
  }

  write(path: string, offset: number, bytes: Uint8Array): void {
    this.#run(['fileWrite', path, offset, bytes]);
  }

  /** Number of failed syncs after which the page cache dropped bytes of a log. */
  get drops(): number {
    return Number(this.#run(['drops']));
  }

  /** Reads bytes of the shared memory of a database. */
  readShared(path: string, offset: number, length: number): Uint8Array {
    return this.#run(['fileReadShared', path, offset, length]) as Uint8Array;
  }

  /** Writes bytes to the shared memory of a database. */
  writeShared(path: string, offset: number, bytes: Uint8Array): void {
    this.#run(['fileWriteShared', path, offset, bytes]);
  }

  sync(path: string): void {
    this.#run(['fileSync', path]);
  }

  syncNames(): void {
    this.#run(['fileNames', DIRECTORY]);
  }
}

let current: Disk | null = null;

export function useDisk(disk: Disk): void {
  current = disk;
}

export function currentDisk(): Disk {
  if (current === null) throw new Error('call `useDisk` first');
  return current;
}
