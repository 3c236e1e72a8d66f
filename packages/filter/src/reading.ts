import { limits, maximumProblems } from './limits.ts';

/** What is wrong, and where: a path from the filter's root such as `and[2].price.gt`, or `` for the root. */
export type FilterProblem = { readonly path: string; readonly message: string };

/** What one call of `parse` has counted and found so far. */
export class Reading {
  readonly problems: FilterProblem[] = [];
  #nodes = 0;

  /** Whether the reader should give up: it has found or seen more than it may. */
  get stopped(): boolean {
    return this.#nodes > limits.nodes || this.problems.length >= maximumProblems;
  }

  refuse(path: string, message: string): undefined {
    if (this.problems.length < maximumProblems) this.problems.push({ path, message });
  }

  /** Counts a node. Returns false when it must not be read, having said so. */
  enter(path: string, depth: number): boolean {
    if (this.stopped) return false;
    this.#nodes += 1;
    if (this.#nodes > limits.nodes) {
      this.refuse('', `must have at most ${limits.nodes} nodes (and, or, not, search, operators)`);
      return false;
    }
    if (depth > limits.depth) {
      this.refuse(path, `must not be nested more than ${limits.depth} levels deep`);
      return false;
    }
    return true;
  }
}
