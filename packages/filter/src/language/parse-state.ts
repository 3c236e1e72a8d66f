import { limits, maximumProblems } from './limits.ts';

/** One problem and its path from the filter's root, such as `and[2].price.gt`; `` is the root. */
export type FilterProblem = { readonly path: string; readonly message: string };

/** The nodes and problems that one call of `parse` has counted. */
export class ParseState {
  readonly problems: FilterProblem[] = [];
  #nodes = 0;

  /** Whether a limit is reached and the rest must not be read. */
  get stopped(): boolean {
    return this.#nodes > limits.nodes || this.problems.length >= maximumProblems;
  }

  refuse(path: string, message: string): undefined {
    if (this.problems.length < maximumProblems) this.problems.push({ path, message });
  }

  /** Refuses a value whose type is not the expected one. */
  mismatch(path: string, expected: string, value: unknown): undefined {
    this.refuse(path, `must be ${expected}, not ${describe(value)}`);
  }

  /** Counts a node. Returns false if it must not be read; the reason is then among the problems. */
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

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const longestKeyShown = 60;

/** Returns the path of an object's member: `price`, or `["a b"]` if the key is not an identifier. */
export function memberPath(parent: string, key: string): string {
  const shown = key.length <= longestKeyShown ? key : `${key.slice(0, longestKeyShown)}…`;
  if (!identifier.test(shown)) return `${parent}[${JSON.stringify(shown)}]`;
  return parent === '' ? shown : `${parent}.${shown}`;
}

/** Returns the path of an array's element: `and[2]`. */
export function elementPath(parent: string, index: number): string {
  return `${parent}[${index}]`;
}

/** Names the type of an unchecked value. Never its content, which may be huge, deep or secret. */
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
      return 'something that JSON does not have';
  }
}
