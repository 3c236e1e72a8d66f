import type { RequestOptions } from '../../options.ts';
import type { Erasure } from '../../types.ts';
import { Resource } from '../resource.ts';

/** People, identified by the `sub` of their links. */
export class Subjects extends Resource {
  /**
   * Erases the data of a person in a space. Safe to repeat.
   *
   * @param erased `events: true` also erases the events with this `subject`.
   * @example
   * const erased = await gatehouse.subjects.erase('customer-42');
   */
  erase(
    sub: string,
    erased: { readonly events?: boolean } = {},
    options?: RequestOptions,
  ): Promise<Erasure> {
    const query = erased.events === true ? ({ events: 'true' } as const) : {};
    const input = { params: [sub], query } as const;
    return this.api.send('DELETE /spaces/{spaceId}/subjects/{sub}', input, options);
  }
}
