import { inspect } from 'node:util';

const CONCEALED = '[secret]';

/**
 * A value that must never be printed. JSON, `util.inspect`, `console.log` and string concatenation
 * show `[secret]`; only {@link Secret.reveal} gives the value, so every use can be found by that word.
 */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  /** The value itself. Hand it to the code that needs it and keep it nowhere else. */
  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return CONCEALED;
  }

  toJSON(): string {
    return CONCEALED;
  }

  [inspect.custom](): string {
    return CONCEALED;
  }
}

/**
 * Gives a plain object the same protection when it is printed as a whole; its members stay
 * readable one by one, and a copy made by spreading is no longer protected.
 */
export function concealed<T extends object>(object: T): T {
  const show = { value: () => CONCEALED, enumerable: false };
  return Object.defineProperties(object, { toJSON: show, toString: show, [inspect.custom]: show });
}
