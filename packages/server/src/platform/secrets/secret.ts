import { inspect } from 'node:util';

const CONCEALED = '[secret]';

/**
 * A value that must never be printed. JSON, `util.inspect`, `console.log` and string concatenation show `[secret]`. Only
 * `reveal` returns the value.
 */
export class Secret<T> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

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
