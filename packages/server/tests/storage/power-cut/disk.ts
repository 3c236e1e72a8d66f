import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Step } from './recorder.ts';

/** Size of an atomic write in bytes. */
const SECTOR = 512;

type Change = { readonly offset: number; readonly bytes: Uint8Array } | { readonly length: number };

/** Changes of directory entries. Null removes an entry. */
type NameChange = ReadonlyMap<string, Entry | null>;
type Entry = bigint | 'directory';
type NameStep = Extract<Step, { kind: 'make-directory' | 'unlink' | 'link' | 'rename' }>;

/** Decides whether each unsynced change survives the power cut. */
export interface Survival {
  /** Called for each change of a directory entry. */
  readonly name: () => boolean;
  /** Called for each written sector and each truncation. */
  readonly change: () => boolean;
}

export const NOTHING_UNSYNCED: Survival = { name: () => false, change: () => false };
export const EVERYTHING: Survival = { name: () => true, change: () => true };

/**
 * A simulated disk that replays recorded steps. Synced data always survives a power cut. Syncing a file makes its
 * content durable, and syncing a directory makes the names in the directory durable. Any part of the unsynced changes
 * may survive.
 */
export class Disk {
  readonly #root: string;
  readonly #files = new Map<bigint, SimulatedFile>();
  readonly #names = new Map<string, Entry>();
  /** Names that always survive a power cut. */
  readonly #durableNames = new Map<string, Entry>();
  #pendingNames: NameChange[] = [];
  readonly #directories = new Map<bigint, string>();

  /** @param root an empty directory, which always survives. */
  constructor(root: string) {
    this.#root = root;
  }

  replay(step: Step): void {
    if (step.kind === 'open') this.#open(step.path, step.inode, step.isNew);
    else if (step.kind === 'write' || step.kind === 'truncate') this.#file(step.inode).change(step);
    else if (step.kind === 'sync') this.#sync(step.inode);
    else this.#name(this.#nameChangeOf(step));
  }

  /** Simulates a power cut after the last replayed step and writes the surviving files to another directory. */
  writeTo(directory: string, survival: Survival): void {
    const names = new Map(this.#durableNames);
    for (const change of this.#pendingNames) if (survival.name()) apply(names, change);
    for (const [path, entry] of names) {
      // SQLite recreates this memory-mapped file, which the recorder cannot observe.
      if (path.endsWith('-shm') || !this.#isReachable(path, names)) continue;
      const copy = join(directory, path.slice(this.#root.length));
      if (entry === 'directory') mkdirSync(copy, { recursive: true, mode: 0o700 });
      else {
        mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
        writeFileSync(copy, this.#file(entry).afterCut(survival), { mode: 0o600 });
      }
    }
  }

  #isReachable(path: string, names: ReadonlyMap<string, Entry>): boolean {
    for (let above = dirname(path); above !== this.#root; above = dirname(above))
      if (names.get(above) !== 'directory') return false;
    return true;
  }

  #open(path: string, inode: bigint, isNew: boolean): void {
    if (path === this.#root || this.#names.get(path) === 'directory') {
      this.#directories.set(inode, path);
      return;
    }
    // The inode number of a deleted file may be reused.
    this.#directories.delete(inode);
    if (!isNew) return;
    this.#files.set(inode, new SimulatedFile());
    this.#name(new Map([[path, inode]]));
  }

  #sync(inode: bigint): void {
    const directory = this.#directories.get(inode);
    if (directory === undefined) {
      this.#file(inode).sync();
      return;
    }
    const isIn = (path: string) => dirname(path) === directory;
    this.#pendingNames = this.#pendingNames.flatMap((change) => {
      apply(this.#durableNames, new Map([...change].filter(([path]) => isIn(path))));
      const others = [...change].filter(([path]) => !isIn(path));
      return others.length === 0 ? [] : [new Map(others)];
    });
  }

  #nameChangeOf(step: NameStep): NameChange {
    switch (step.kind) {
      case 'make-directory':
        return new Map([[step.path, 'directory']]);
      case 'unlink':
        return new Map([[step.path, null]]);
      case 'link':
        return new Map([[step.to, this.#entry(step.path)]]);
      case 'rename':
        return new Map([
          [step.to, this.#entry(step.path)],
          [step.path, null],
        ]);
    }
  }

  #name(change: NameChange): void {
    apply(this.#names, change);
    this.#pendingNames.push(change);
  }

  #entry(path: string): Entry {
    const entry = this.#names.get(path);
    if (entry === undefined)
      throw new Error(`the recording does not contain the creation of ${path}`);
    return entry;
  }

  #file(inode: bigint): SimulatedFile {
    const file = this.#files.get(inode);
    if (file === undefined)
      throw new Error('the recording does not contain the creation of a file');
    return file;
  }
}

function apply(names: Map<string, Entry>, change: NameChange): void {
  for (const [path, entry] of change) {
    if (entry === null) names.delete(path);
    else names.set(path, entry);
  }
}

/** The synced content and the unsynced changes of a file. */
class SimulatedFile {
  #bytes = new GrowingBytes();
  #changes: Change[] = [];

  change(change: Change): void {
    this.#changes.push(change);
  }

  sync(): void {
    for (const change of this.#changes) this.#bytes.change(change);
    this.#changes = [];
  }

  afterCut({ change: survives }: Survival): Uint8Array {
    if (this.#changes.length === 0) return this.#bytes.all;
    const bytes = this.#bytes.copy();
    for (const change of this.#changes)
      for (const part of partsOf(change)) if (survives()) bytes.change(part);
    return bytes.all;
  }
}

function partsOf(change: Change): Change[] {
  if ('length' in change) return [change];
  const { offset, bytes } = change;
  const parts: Change[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + SECTOR - ((offset + at) % SECTOR));
    parts.push({ offset: offset + at, bytes: bytes.subarray(at, end) });
    at = end;
  }
  return parts;
}

class GrowingBytes {
  #bytes: Uint8Array = new Uint8Array(4096);
  #length = 0;

  get all(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  copy(): GrowingBytes {
    const copy = new GrowingBytes();
    copy.#bytes = this.#bytes.slice();
    copy.#length = this.#length;
    return copy;
  }

  change(change: Change): void {
    if ('length' in change) {
      this.#resize(change.length);
      return;
    }
    const { offset, bytes } = change;
    if (offset + bytes.length > this.#length) this.#resize(offset + bytes.length);
    this.#bytes.set(bytes, offset);
  }

  /** Sets the length of the file. New bytes are zero, even if the file was longer at an earlier time. */
  #resize(length: number): void {
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      larger.set(this.all);
      this.#bytes = larger;
    }
    if (length < this.#length) this.#bytes.fill(0, length, this.#length);
    this.#length = length;
  }
}
