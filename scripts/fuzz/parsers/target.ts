/** A parser of untrusted input. */
export interface Target {
  readonly name: string;
  /** Parts of the URLs of the source files whose coverage guides the search for inputs, such as `/ingest/formats/`. */
  readonly sources: readonly string[];
  /** Valid inputs, which are changed at random. */
  readonly seeds: readonly string[];
  /** Texts that have a meaning to the parser. */
  readonly words: readonly string[];
  /** Share of the inputs of a campaign. Slow parsers get fewer inputs. Default 1. */
  readonly share?: number;
  /** Parses an input. Throws if the parser violates a property. */
  readonly check: (input: Buffer) => void | Promise<void>;
  /** Ends everything that `check` has started. */
  readonly close?: () => void;
}

/** Returns the error of the given type that `run` throws, or null. Passes on every other error. */
export function errorOf<Thrown extends Error>(
  type: abstract new (...parameters: never[]) => Thrown,
  run: () => unknown,
): Thrown | null {
  try {
    run();
    return null;
  } catch (error) {
    if (error instanceof type) return error;
    throw error;
  }
}
