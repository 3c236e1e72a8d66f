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

/** Capacities of a term's consecutive blocks, in postings. All further blocks have the last capacity. */
const CAPACITIES = [1, 3, 7, 15, 31, 63, 127, 255, 511] as const;
const LAST_LEVEL = CAPACITIES.length - 1;
const PAGE_BITS = 18;
const PAGE_SIZE = 2 ** PAGE_BITS;
const PAGE_MASK = PAGE_SIZE - 1;
const FIRST_PAGE_SIZE = 2 ** 10;

/** Minimum number of postings for which a view is created. */
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

  /** Returns the number of postings of a term. */
  count(term: number): number {
    return this.#states[term * STATE + COUNT] ?? 0;
  }

  /** Copies a term's postings, in order of ordinals, to the start of an array. Returns their number. */
  read(term: number, into: Uint32Array): number {
    const count = this.count(term);
    let address = this.#states[term * STATE + HEAD] as number;
    for (let level = 0, done = 0; done < count; level++) {
      const page = this.#pages[address >>> PAGE_BITS] as Uint32Array;
      const start = (address & PAGE_MASK) + 1;
      const length = Math.min(count - done, capacityOf(level));
      // Creating a view of a short block would take longer than copying the block.
      if (length < MIN_VIEW)
        for (let at = 0; at < length; at++) into[done + at] = page[start + at] as number;
      else into.set(page.subarray(start, start + length), done);
      done += length;
      address = page[start - 1] as number;
    }
    return count;
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
