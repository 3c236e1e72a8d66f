import type { Clock } from './clock.ts';
import { RecentTime } from './recent-time.ts';

/** The owner of an operation. Spaces share time equally, and so do the callers of a space. */
export interface WorkOwner {
  readonly spaceId: string;
  /** A link, API key or user. Null for work of the service itself. */
  readonly caller: string | null;
}

/** Milliseconds that a resource spent on work for a caller, for all callers of the same space, and for all spaces. */
export interface TimeSpent {
  readonly caller: number;
  readonly space: number;
  readonly all: number;
  /** The part of `space` that was spent on work that benefits all callers of the space. */
  readonly shared: number;
}

/** A running operation, which `take` returned. */
export interface RunningItem<Item> {
  readonly item: Item;
  /**
   * Ends the operation and charges its time. Call it once.
   *
   * @param charge measured time. Default: the time since `take`, charged to the caller.
   */
  end(charge?: Charge): void;
}

export interface Charge {
  readonly ms: number;
  /** True if the work benefits all callers of the space. The caller is then not charged, only the space. */
  readonly isShared: boolean;
}

/** Time added to the used time of an account per running operation, so that operations count as soon as they start. */
const MIN_RUNNING_MS = 5;
/** Head start in milliseconds of an account that was idle. A short operation of several steps is finished before heavy ones continue. */
const HEAD_START_MS = 8;
/** Interval after which idle accounts are forgotten. */
const FORGET_EVERY_MS = 60_000;

/**
 * A queue that shares the time of a resource. The next operation belongs to the space that recently used the least time, and
 * within this space to the caller that used the least. Operations of one caller run in the order in which they were added.
 * Used time halves every ten seconds. A new operation of a light caller therefore overtakes all waiting operations of heavy
 * callers.
 *
 * When an idle account adds an operation, its used time is raised to the virtual time, less a head start of 8 ms (start-time fair queueing,
 * Goyal, Vin and Cheng 1996). Otherwise the account could use the resource alone until it has used as much as the other accounts.
 */
export class FairTimeQueue<Item> {
  readonly #clock: Clock;
  readonly #all: Account;
  readonly #spaces = new Map<string, Space<Item>>();
  /** The virtual time of the spaces: the used time of the last selected space when it was selected. */
  readonly #virtualTime: RecentTime;
  #forgetAt: number;

  /** @param clock milliseconds, such as `performance.now`. */
  constructor(clock: Clock) {
    this.#clock = clock;
    const now = clock();
    this.#all = new Account(now);
    this.#virtualTime = new RecentTime(now);
    this.#forgetAt = now + FORGET_EVERY_MS;
  }

  get isEmpty(): boolean {
    return this.#all.waiting === 0;
  }

  waitingOf(owner: WorkOwner): { readonly caller: number; readonly space: number } {
    const space = this.#spaces.get(owner.spaceId);
    return {
      caller: space?.callers.get(nameOf(owner))?.waiting ?? 0,
      space: space?.waiting ?? 0,
    };
  }

  /** @param isFirst adds the item before the caller's other items, to continue an operation. */
  add(owner: WorkOwner, item: Item, isFirst = false): void {
    const { space, caller } = this.#accountsOf(owner);
    const now = this.#clock();
    space.catchUp(this.#virtualTime, now);
    caller.catchUp(space.virtualTime, now);
    if (isFirst) caller.items.unshift(item);
    else caller.items.push(item);
    for (const account of [this.#all, space, caller]) account.waiting += 1;
  }

  /**
   * Removes and returns the next item, or undefined if no item may run.
   *
   * @param onlyIdle considers only spaces without a running operation.
   */
  take(onlyIdle = false): RunningItem<Item> | undefined {
    const now = this.#clock();
    this.#forget(now);
    const space = leastUsed(this.#spaces.values(), now, onlyIdle);
    const caller = space === undefined ? undefined : leastUsed(space.callers.values(), now);
    const item = caller?.items.shift();
    if (space === undefined || caller === undefined || item === undefined) return undefined;
    this.#virtualTime.raiseTo(space.used(now), now);
    space.virtualTime.raiseTo(caller.used(now), now);
    for (const account of [this.#all, space, caller]) {
      account.waiting -= 1;
      account.start(now);
    }
    return {
      item,
      end: (charge) => {
        const endedAt = this.#clock();
        const { ms, isShared } = charge ?? { ms: endedAt - now, isShared: false };
        for (const account of [this.#all, space, caller])
          account.end(now, endedAt, account === caller && isShared ? 0 : ms);
        if (isShared) space.sharedMs += ms;
      },
    };
  }

  remove(owner: WorkOwner, item: Item): boolean {
    const space = this.#spaces.get(owner.spaceId);
    const caller = space?.callers.get(nameOf(owner));
    const index = caller?.items.indexOf(item) ?? -1;
    if (space === undefined || caller === undefined || index === -1) return false;
    caller.items.splice(index, 1);
    for (const account of [this.#all, space, caller]) account.waiting -= 1;
    return true;
  }

  takeAll(): Item[] {
    const items: Item[] = [];
    for (const space of this.#spaces.values()) {
      for (const caller of space.callers.values()) {
        items.push(...caller.items.splice(0));
        caller.waiting = 0;
      }
      space.waiting = 0;
    }
    this.#all.waiting = 0;
    return items;
  }

  /** Reports whether an item is waiting whose caller has no running operation. */
  hasIdleCaller(): boolean {
    for (const space of this.#spaces.values())
      if (space.waiting > 0)
        for (const caller of space.callers.values())
          if (caller.waiting > 0 && caller.running === 0) return true;
    return false;
  }

  /** Returns a function that measures the time spent since this call, including the time of running operations. */
  measure(owner: WorkOwner): () => TimeSpent {
    const { space, caller } = this.#accountsOf(owner);
    const accounts = { caller, space, all: this.#all };
    const before = spent(accounts, this.#clock());
    return () => {
      const after = spent(accounts, this.#clock());
      return {
        caller: after.caller - before.caller,
        space: after.space - before.space,
        all: after.all - before.all,
        shared: after.shared - before.shared,
      };
    };
  }

  #accountsOf(owner: WorkOwner): { space: Space<Item>; caller: Caller<Item> } {
    const now = this.#clock();
    let space = this.#spaces.get(owner.spaceId);
    if (space === undefined) {
      space = Object.assign(new Account(now), {
        callers: new Map<string, Caller<Item>>(),
        virtualTime: new RecentTime(now),
        sharedMs: 0,
      });
      this.#spaces.set(owner.spaceId, space);
    }
    const name = nameOf(owner);
    let caller = space.callers.get(name);
    if (caller === undefined) {
      caller = Object.assign(new Account(now), { items: [] });
      space.callers.set(name, caller);
    }
    return { space, caller };
  }

  #forget(now: number): void {
    if (now < this.#forgetAt) return;
    this.#forgetAt = now + FORGET_EVERY_MS;
    for (const [spaceId, space] of this.#spaces) {
      for (const [name, caller] of space.callers)
        if (caller.isIdle(now)) space.callers.delete(name);
      if (space.callers.size === 0 && space.isIdle(now)) this.#spaces.delete(spaceId);
    }
  }
}

type Caller<Item> = Account & { readonly items: Item[] };
type Space<Item> = Account & {
  readonly callers: Map<string, Caller<Item>>;
  readonly virtualTime: RecentTime;
  sharedMs: number;
};

class Account {
  waiting = 0;
  running = 0;
  /** Sum of the start times of running operations. */
  #started = 0;
  readonly #recent: RecentTime;
  #total = 0;

  constructor(now: number) {
    this.#recent = new RecentTime(now);
  }

  /** If the account is idle, raises its used time to the virtual time, less the head start. */
  catchUp(virtualTime: RecentTime, now: number): void {
    if (this.waiting === 0 && this.running === 0)
      this.#recent.raiseTo(virtualTime.at(now) - HEAD_START_MS, now);
  }

  start(now: number): void {
    this.running += 1;
    this.#started += now;
  }

  end(startedAt: number, endedAt: number, ms: number): void {
    this.running -= 1;
    this.#started -= startedAt;
    this.#recent.add(ms, endedAt);
    this.#total += ms;
  }

  used(now: number): number {
    return this.#recent.at(now) + this.#runningMs(now) + this.running * MIN_RUNNING_MS;
  }

  total(now: number): number {
    return this.#total + this.#runningMs(now);
  }

  isIdle(now: number): boolean {
    return this.waiting === 0 && this.running === 0 && this.#recent.isForgotten(now);
  }

  #runningMs(now: number): number {
    return this.running * now - this.#started;
  }
}

function nameOf({ caller }: WorkOwner): string {
  return caller ?? '';
}

/** Returns the account with waiting items that used the least time. For equal times, the first one. */
function leastUsed<O extends Account>(
  accounts: Iterable<O>,
  now: number,
  onlyIdle = false,
): O | undefined {
  let least: O | undefined;
  let leastMs = Number.POSITIVE_INFINITY;
  for (const account of accounts) {
    if (account.waiting === 0 || (onlyIdle && account.running > 0)) continue;
    const ms = account.used(now);
    if (ms >= leastMs) continue;
    least = account;
    leastMs = ms;
  }
  return least;
}

interface Owners {
  readonly caller: Account;
  readonly space: Account & { readonly sharedMs: number };
  readonly all: Account;
}

function spent({ caller, space, all }: Owners, now: number): TimeSpent {
  return {
    caller: caller.total(now),
    space: space.total(now),
    all: all.total(now),
    shared: space.sharedMs,
  };
}
