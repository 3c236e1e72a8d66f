import { type Seeded, seeded } from '../../support/seeded.ts';
import type { DiskFault } from './os/disk.ts';

export const SPACE_A = '00000000-0000-4000-8000-00000000000a';
export const SPACE_B = '00000000-0000-4000-8000-00000000000b';
/** A space whose events nobody processes, so that nothing but an append writes. */
export const QUIET_SPACE = '00000000-0000-4000-8000-00000000000c';
export const SPACES: readonly string[] = [SPACE_A, SPACE_B, QUIET_SPACE];
const SUBJECTS = 3;
/** Half of the repeated events are among the newest. */
const RECENT_EVENTS = 6;

export type Operation =
  /** Appends batches in one call. An ID may have been sent before. The client repeats a failed call at once. */
  | {
      readonly kind: 'append';
      readonly repeats: number;
      readonly batches: readonly { readonly space: string; readonly ids: readonly string[] }[];
    }
  /** Creates a link with an `Idempotency-Key`. A repetition has a higher number. */
  | { readonly kind: 'create-link'; readonly key: string; readonly number: number }
  | { readonly kind: 'revoke-link'; readonly key: string }
  | { readonly kind: 'add-document' | 'remove-document'; readonly id: string }
  | { readonly kind: 'erase'; readonly space: string; readonly subject: string }
  /** Sets the maximum size of a space's events and runs retention. */
  | { readonly kind: 'retain'; readonly space: string; readonly bytes: number }
  /** Sets the response of the webhook target. 0: the target does not answer. */
  | { readonly kind: 'target'; readonly status: number }
  /** Runs some tasks of the event loop. */
  | { readonly kind: 'run'; readonly tasks: number }
  | { readonly kind: 'wait'; readonly ms: number }
  /** Moves the wall clock, forwards or backwards. */
  | { readonly kind: 'jump'; readonly ms: number };

/** A reader, such as a backup, starts to use a snapshot of the database, or ends. */
export interface SnapshotOperation {
  readonly kind: 'open-snapshot' | 'close-snapshot';
}

/** The operations of one process, and its end. */
export interface Round {
  readonly operations: readonly (Operation | SnapshotOperation)[];
  /** Steps are counted from the start of the process. */
  readonly faults: readonly DiskFault[];
  readonly end: 'stop' | 'kill' | 'power-cut';
  /** True if the process comes to rest before its end. */
  readonly settles: boolean;
  /** Percentage of unsynced changes that survive the power cut. */
  readonly survival: number;
  /** True if another process, such as a backup, keeps the index of the log alive while the next process starts. */
  readonly keepsIndex?: boolean;
}

export interface History {
  readonly seed: number;
  readonly rounds: readonly Round[];
}

export function generateHistory(seed: number): History {
  const generator = new Generator(seeded(seed));
  return { seed, rounds: generator.rounds() };
}

/** Returns the subject of an event. It depends only on the ID, so that a repeated event is identical. */
export function subjectOf(id: string): string {
  return `subject-${numberOf(id) % SUBJECTS}`;
}

/** Returns the number of bytes of data in an event. Some events need overflow pages. */
export function dataBytesOf(id: string): number {
  const number = numberOf(id);
  return number % 11 === 0 ? 9000 : (number * 37) % 600;
}

function numberOf(id: string): number {
  return Number(id.slice(id.indexOf('-') + 1));
}

class Generator {
  readonly #random: Seeded;
  readonly #operations: OperationGenerator;

  constructor(random: Seeded) {
    this.#random = random;
    this.#operations = new OperationGenerator(random);
  }

  rounds(): Round[] {
    return Array.from({ length: 1 + this.#random.below(4) }, () => this.#round());
  }

  #chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  #round(): Round {
    const operations = Array.from({ length: 2 + this.#random.below(14) }, () => this.#operation());
    const end = this.#random.pick(['stop', 'kill', 'power-cut', 'power-cut'] as const);
    return {
      operations,
      faults: this.#faults(),
      end,
      settles: this.#chance(0.5),
      survival: this.#random.pick([0, 0, 10, 50, 90, 100]),
      keepsIndex: this.#chance(0.2),
    };
  }

  #operation(): Operation | SnapshotOperation {
    if (!this.#chance(0.08)) return this.#operations.next();
    return { kind: this.#random.pick(['open-snapshot', 'open-snapshot', 'close-snapshot']) };
  }

  #faults(): DiskFault[] {
    const faults: DiskFault[] = [];
    const at = () => 1 + Math.floor(this.#random.next() ** 2 * 400);
    if (this.#chance(0.4)) {
      const step = at();
      faults.push({ kind: 'kill', at: step, until: step });
    }
    for (const kind of ['sync-fails', 'sync-drops', 'write-fails', 'full'] as const)
      if (this.#chance(0.15)) {
        const from = at();
        faults.push({ kind, at: from, until: from + this.#random.pick([0, 1, 4, 30]) });
      }
    return faults;
  }
}

/** Generates the operations of a history. Some of them repeat or undo an earlier operation. */
export class OperationGenerator {
  readonly #random: Seeded;
  #lastEvent = 0;
  #lastLink = 0;
  #lastDocument = 0;
  readonly #events: string[] = [];

  constructor(random: Seeded) {
    this.#random = random;
  }

  next(): Operation {
    const random = this.#random;
    const kind = random.below(40);
    if (kind < 14) return this.append();
    if (kind < 18) return this.#createLink();
    if (kind < 19) return { kind: 'revoke-link', key: `k-${1 + random.below(this.#lastLink + 1)}` };
    if (kind < 21) return { kind: 'add-document', id: `d-${++this.#lastDocument}` };
    if (kind < 22)
      return { kind: 'remove-document', id: `d-${1 + random.below(this.#lastDocument + 1)}` };
    if (kind < 23)
      return {
        kind: 'erase',
        space: random.pick(SPACES),
        subject: `subject-${random.below(SUBJECTS)}`,
      };
    if (kind < 25)
      return {
        kind: 'retain',
        space: random.pick(SPACES),
        bytes: random.pick([1, 2000, 10_000]),
      };
    if (kind < 27) return { kind: 'target', status: random.pick([204, 204, 500, 0]) };
    if (kind < 35) return { kind: 'run', tasks: 1 + random.below(20) };
    if (kind < 38) return { kind: 'wait', ms: random.pick([1, 60, 300, 1100, 3000]) };
    return { kind: 'jump', ms: random.pick([-3_600_000, -1000, 1000, 3_600_000]) };
  }

  #chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  append(): Operation {
    const random = this.#random;
    const length = random.pick([1, 1, 1, 2, 3]);
    const batches = Array.from({ length }, () => ({
      space: random.pick(SPACES),
      ids: this.#ids(),
    }));
    return { kind: 'append', repeats: random.pick([0, 1, 3]), batches };
  }

  /** Returns the IDs of a batch. Within a batch, IDs are distinct. */
  #ids(): string[] {
    const random = this.#random;
    const ids = new Set<string>();
    const count = random.pick([1, 1, 2, 3, 8]);
    while (ids.size < count) {
      const isNew = this.#events.length === 0 || this.#chance(0.8);
      const known = this.#chance(0.5) ? this.#events : this.#events.slice(-RECENT_EVENTS);
      const id = isNew ? `e-${++this.#lastEvent}` : random.pick(known);
      if (isNew) this.#events.push(id);
      ids.add(id);
    }
    return [...ids];
  }

  #createLink(): Operation {
    const isNew = this.#lastLink === 0 || this.#chance(0.7);
    if (isNew) this.#lastLink += 1;
    const key = `k-${isNew ? this.#lastLink : 1 + this.#random.below(this.#lastLink)}`;
    return { kind: 'create-link', key, number: this.#random.below(1_000_000) };
  }
}
