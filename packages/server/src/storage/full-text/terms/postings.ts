import { grown } from './grown.ts';

/** Number of bits of a posting that store the weighted frequency of the term in the passage. */
const FREQUENCY_BITS = 6;
/** Maximum weighted frequency. Larger values are stored as this value, because BM25 hardly distinguishes them. */
export const MAX_FREQUENCY = 2 ** FREQUENCY_BITS - 1;
/** Maximum number of passages of an index. */
export const MAX_ORDINALS = 2 ** (32 - FREQUENCY_BITS);

/** Returns the ordinal of a posting's passage. */
export function ordinalOf(posting: number): number {
  return posting >>> FREQUENCY_BITS;
}

/** Returns the weighted frequency of a posting, from 1 to 63. */
export function frequencyOf(posting: number): number {
  return posting & MAX_FREQUENCY;
}

/** Returns a number that is greater than the postings of all ordinals less than `end`, and not greater than other postings. */
export function afterLast(end: number): number {
  return end * 2 ** FREQUENCY_BITS;
}

/** Capacities of a term's consecutive blocks, in postings. All further blocks have the last capacity. */
const CAPACITIES = [1, 3, 7, 15, 31, 63, 127, 255, 511] as const;
const LAST_LEVEL = CAPACITIES.length - 1;
const PAGE_BITS = 18;
const PAGE_SIZE = 2 ** PAGE_BITS;
const PAGE_MASK = PAGE_SIZE - 1;
const FIRST_PAGE_SIZE = 2 ** 10;

/** Minimum number of postings for which a view is created. Copying fewer postings takes less time than creating a view. */
const MIN_VIEW = 64;

const STATE = 4;
/** Address of a term's first block. */
const HEAD = 0;
/** Address at which a term's next posting is written. */
const END = 1;
/** Number of free postings in a term's last block. */
const FREE = 2;
const COUNT = 3;

/**
 * The postings of all terms: for each term, the ordinals of the passages that contain the term, in ascending order. A posting
 * takes 32 bits: 26 for the ordinal and 6 for the frequency. The postings of a term are stored in a linked list of blocks. The
 * first 32 bits of a block are the address of the next block, and postings fill the rest. Blocks are stored in pages of up to
 * 1 MiB, because most blocks are small and an array per block would take more memory than the postings in the block.
 */
export class Postings {
  readonly #pages: Uint32Array[] = [];
  #used = PAGE_SIZE;
  /** `HEAD`, `END`, `FREE` and `COUNT` of each term. They are adjacent so that adding a posting reads one cache line. */
  #states = new Uint32Array(128 * STATE);
  #bytes = 0;

  get byteLength(): number {
    return this.#bytes + 4 * this.#states.length;
  }

  /** Adds a posting. The ordinals of a term must be added in ascending order. */
  add(term: number, ordinal: number, frequency: number): void {
    const state = term * STATE;
    if (state + STATE > this.#states.length)
      this.#states = grown(this.#states, Math.max(state + STATE, this.#states.length * 1.5));
    if (this.#states[state + FREE] === 0) this.#addBlock(state);
    const states = this.#states;
    const at = states[state + END] as number;
    (this.#pages[at >>> PAGE_BITS] as Uint32Array)[at & PAGE_MASK] =
      ((ordinal << FREQUENCY_BITS) | Math.min(frequency, MAX_FREQUENCY)) >>> 0;
    states[state + END] = at + 1;
    states[state + FREE] = (states[state + FREE] as number) - 1;
    states[state + COUNT] = (states[state + COUNT] as number) + 1;
  }

  count(term: number): number {
    return this.#states[term * STATE + COUNT] ?? 0;
  }

  /** Creates a cursor, which `seek` must position before it is read. */
  cursor(): PostingsCursor {
    return new PostingsCursor(this.#pages);
  }

  /** Positions a cursor before the first posting of a term. Returns the cursor. */
  seek(cursor: PostingsCursor, term: number): PostingsCursor {
    cursor.start(this.#states[term * STATE + HEAD] ?? 0, this.count(term));
    return cursor;
  }

  #addBlock(state: number): void {
    const states = this.#states;
    const count = states[state + COUNT] as number;
    const level = levelAfter(count);
    const address = this.#allocate(1 + capacityOf(level));
    if (count === 0) states[state + HEAD] = address;
    else this.#link((states[state + END] as number) - capacityOf(level - 1) - 1, address);
    states[state + END] = address + 1;
    states[state + FREE] = capacityOf(level);
  }

  #link(block: number, next: number): void {
    (this.#pages[block >>> PAGE_BITS] as Uint32Array)[block & PAGE_MASK] = next;
  }

  /** Returns the address of a new block, which never spans two pages. */
  #allocate(slots: number): number {
    const last = this.#pages.length - 1;
    const page = this.#pages[last];
    if (page === undefined) return this.#addPage(FIRST_PAGE_SIZE, slots);
    if (this.#used + slots > page.length) {
      if (page.length === PAGE_SIZE) return this.#addPage(PAGE_SIZE, slots);
      // The first page starts small and grows to the full size, so that a small space takes little memory.
      this.#pages[last] = grown(page, Math.min(PAGE_SIZE, page.length * 2));
      this.#bytes += 4 * ((this.#pages[last] as Uint32Array).length - page.length);
      return this.#allocate(slots);
    }
    const address = last * PAGE_SIZE + this.#used;
    this.#used += slots;
    return address;
  }

  #addPage(size: number, slots: number): number {
    this.#pages.push(new Uint32Array(size));
    this.#bytes += 4 * size;
    this.#used = slots;
    return (this.#pages.length - 1) * PAGE_SIZE;
  }
}

function capacityOf(level: number): number {
  return CAPACITIES[Math.min(level, LAST_LEVEL)] as number;
}

/** Returns the level of a term's next block. The term has `count` postings, and all its blocks are full. */
function levelAfter(count: number): number {
  let level = 0;
  let left = count;
  while (level <= LAST_LEVEL && left > 0) left -= capacityOf(level++);
  return left <= 0 ? level : level + Math.ceil(left / capacityOf(LAST_LEVEL));
}

/** Reads the postings of a term in order of ordinals. A cursor is invalid after a posting was added. */
export class PostingsCursor {
  readonly #pages: readonly Uint32Array[];
  #page: Uint32Array = new Uint32Array(0);
  /** Index of the next posting in the page. */
  #at = 0;
  #level = 0;
  /** Number of unread postings in the block. */
  #inBlock = 0;
  /** Number of unread postings. */
  #left = 0;

  constructor(pages: readonly Uint32Array[]) {
    this.#pages = pages;
  }

  /** @param address address of the first block. */
  start(address: number, count: number): void {
    this.#level = 0;
    this.#left = count;
    if (count > 0) this.#enter(address);
  }

  /**
   * Copies the next postings whose ordinals are less than `end` to an array, from index `start`, until the array is full. Returns the index
   * after the last copy. If it is `start` and the array is not full, no such posting is left.
   */
  read(end: number, into: Uint32Array, start = 0): number {
    const limit = afterLast(end);
    let done = start;
    while (this.#left > 0 && done < into.length) {
      const page = this.#page;
      const at = this.#at;
      const most = Math.min(this.#inBlock, into.length - done);
      let length = most;
      if ((page[at + most - 1] as number) >= limit)
        for (length = 0; (page[at + length] as number) < limit; length++)
          into[done + length] = page[at + length] as number;
      else if (most < MIN_VIEW)
        for (let index = 0; index < most; index++) into[done + index] = page[at + index] as number;
      else into.set(page.subarray(at, at + most), done);
      done += length;
      this.#skip(length);
      if (length < most) break;
    }
    return done;
  }

  #skip(length: number): void {
    this.#at += length;
    this.#inBlock -= length;
    this.#left -= length;
    if (this.#inBlock > 0 || this.#left === 0) return;
    const next = this.#page[this.#at - capacityOf(this.#level) - 1] as number;
    this.#level++;
    this.#enter(next);
  }

  #enter(address: number): void {
    this.#page = this.#pages[address >>> PAGE_BITS] as Uint32Array;
    this.#at = (address & PAGE_MASK) + 1;
    this.#inBlock = Math.min(this.#left, capacityOf(this.#level));
  }
}
