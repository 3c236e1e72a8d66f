import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Step } from './recorder.ts';

/** What a disk may write whole or not at all. */
const SECTOR = 512;

type Change = { readonly offset: number; readonly bytes: Uint8Array } | { readonly length: number };

/** A name that was made, changed or taken away; null where there is none any more. */
type Naming = ReadonlyMap<string, Entry | null>;
type Entry = bigint | 'directory';
type NamingStep = Extract<Step, { kind: 'make-directory' | 'unlink' | 'link' | 'rename' }>;

/** Says of each thing that was not synced whether it survives the cut. */
export interface Survival {
  readonly name: () => boolean;
  /** Of a sector of a write, or the cutting of a file's end. */
  readonly change: () => boolean;
}

export const NOTHING_UNSYNCED: Survival = { name: () => false, change: () => false };
export const EVERYTHING: Survival = { name: () => true, change: () => true };

/**
 * A disk as a process left it after some steps, of which it surely holds what was synced: the bytes of a
 * file by the file's own sync, its name by a sync of its directory. Of everything else any part may be
 * there after a power cut.
 */
export class Disk {
  readonly #root: string;
  readonly #files = new Map<bigint, KeptFile>();
  /** Names as the process sees them. */
  readonly #names = new Map<string, Entry>();
  /** Those that a cut leaves. */
  readonly #keptNames = new Map<string, Entry>();
  /** What happened to names since, in order. */
  #unkeptNames: Naming[] = [];
  readonly #directories = new Map<bigint, string>();

  /** @param root an empty directory, that is there whatever happens. */
  constructor(root: string) {
    this.#root = root;
  }

  play(step: Step): void {
    if (step.kind === 'open') this.#open(step.path, step.inode, step.isNew);
    else if (step.kind === 'write' || step.kind === 'truncate') this.#file(step.inode).change(step);
    else if (step.kind === 'sync') this.#sync(step.inode);
    else this.#name(this.#namingOf(step));
  }

  /** Writes what a power cut now would leave into another directory. */
  writeTo(directory: string, survival: Survival): void {
    const names = new Map(this.#keptNames);
    for (const naming of this.#unkeptNames) if (survival.name()) apply(names, naming);
    for (const [path, entry] of names) {
      // SQLite makes this one anew, and writes it by memory, which nobody recorded.
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
    // The number of a file that is gone may be given to a new one.
    this.#directories.delete(inode);
    if (!isNew) return;
    this.#files.set(inode, new KeptFile());
    this.#name(new Map([[path, inode]]));
  }

  #sync(inode: bigint): void {
    const directory = this.#directories.get(inode);
    if (directory === undefined) {
      this.#file(inode).sync();
      return;
    }
    const isIn = (path: string) => dirname(path) === directory;
    this.#unkeptNames = this.#unkeptNames.flatMap((naming) => {
      apply(this.#keptNames, new Map([...naming].filter(([path]) => isIn(path))));
      const others = [...naming].filter(([path]) => !isIn(path));
      return others.length === 0 ? [] : [new Map(others)];
    });
  }

  #namingOf(step: NamingStep): Naming {
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

  #name(naming: Naming): void {
    apply(this.#names, naming);
    this.#unkeptNames.push(naming);
  }

  #entry(path: string): Entry {
    const entry = this.#names.get(path);
    if (entry === undefined) throw new Error(`${path} was not made while it was recorded`);
    return entry;
  }

  #file(inode: bigint): KeptFile {
    const file = this.#files.get(inode);
    if (file === undefined) throw new Error('a file was not made while it was recorded');
    return file;
  }
}

function apply(names: Map<string, Entry>, naming: Naming): void {
  for (const [path, entry] of naming) {
    if (entry === null) names.delete(path);
    else names.set(path, entry);
  }
}

/** The bytes of a file that were synced, and what was done to it since. */
class KeptFile {
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

  /** What lies behind the end is zeros when the file grows again. */
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
