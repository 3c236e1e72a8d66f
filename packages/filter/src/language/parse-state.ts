import { limits, maxProblems } from './limits.ts';

/** A problem and its path, such as `and[2].price.gt`. The path of the root is the empty string. */
export type FilterProblem = { readonly path: string; readonly message: string };

/** The node count and the problems of one call of `parse`. */
export class ParseState {
  readonly problems: FilterProblem[] = [];
  #nodes = 0;

  /** `true` if a limit is reached. The caller must then not parse the rest of the filter. */
  get stopped(): boolean {
    return this.#nodes > limits.nodes || this.problems.length >= maxProblems;
  }

  addProblem(path: string, message: string): undefined {
    if (this.problems.length < maxProblems) this.problems.push({ path, message });
  }

  mismatch(path: string, expected: string, value: unknown): undefined {
    this.addProblem(path, `must be ${expected}, not ${describe(value)}`);
  }

  /**
   * Counts a node. If the node exceeds a limit, adds a problem and returns `false`. The caller must then not parse the
   * node.
   */
  enter(path: string, depth: number): boolean {
    if (this.stopped) return false;
    this.#nodes += 1;
    if (this.#nodes > limits.nodes) {
      this.addProblem(
        '',
        `must have at most ${limits.nodes} nodes (and, or, not, search, operators)`,
      );
      return false;
    }
    if (depth > limits.depth) {
      this.addProblem(path, `must not be nested more than ${limits.depth} levels deep`);
      return false;
    }
    return true;
  }
}

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const maxShownKeyLength = 60;

/** Returns the path of an object's member, such as `price`, or `["a b"]` if the key is not an identifier. */
export function memberPath(parent: string, key: string): string {
  const shown = key.length <= maxShownKeyLength ? key : `${key.slice(0, maxShownKeyLength)}…`;
  if (!identifier.test(shown)) return `${parent}[${JSON.stringify(shown)}]`;
  return parent === '' ? shown : `${parent}.${shown}`;
}

export function elementPath(parent: string, index: number): string {
  return `${parent}[${index}]`;
}

/** Describes the type of an unvalidated value. Never includes the content, which may be huge or secret. */
export function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  switch (typeof value) {
    case 'string':
      return 'a string';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    case 'object':
      return 'an object';
    default:
      return 'a value that JSON cannot represent';
  }
}
