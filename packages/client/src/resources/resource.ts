import type { Connection } from '../http/connection.ts';

/** A group of operations. */
export abstract class Resource {
  protected readonly api: Connection;

  /** @internal */
  constructor(api: Connection) {
    this.api = api;
  }
}
