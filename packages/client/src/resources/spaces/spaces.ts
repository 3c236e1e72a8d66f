import type { List } from '../../http/list.ts';
import type { CreateOptions, RequestOptions } from '../../options.ts';
import type {
  CreatedSpace,
  ListQuery,
  NewSpace,
  ShownSpace,
  Space,
  SpaceChange,
  SpacePage,
  Usage,
  UsageQuery,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** Spaces. A space contains bots, API keys, links, documents and events. */
export class Spaces extends Resource {
  /**
   * Creates a space with a first bot.
   *
   * @example
   * const { id, defaultBotId } = await gatehouse.spaces.create({ name: 'Shop' });
   */
  create(space: NewSpace, options?: CreateOptions): Promise<CreatedSpace> {
    return this.api.send('POST! /spaces', { body: space }, options);
  }

  /**
   * Lists the spaces that the caller may see.
   *
   * @example
   * for await (const { id, name } of gatehouse.spaces.list()) console.log(id, name);
   */
  list(query?: ListQuery, options?: RequestOptions): List<SpacePage> {
    return this.api.list('GET /spaces', { query }, options);
  }

  /**
   * Returns a space with the rights of the caller.
   *
   * @example
   * const { allowedOrigins, rights } = await gatehouse.spaces.get(spaceId);
   */
  get(spaceId: string, options?: RequestOptions): Promise<ShownSpace> {
    return this.api.send('GET /spaces/{spaceId}', { params: [spaceId] }, options);
  }

  /**
   * Changes a space.
   *
   * @example
   * await gatehouse.spaces.update(spaceId, { allowedOrigins: ['https://shop.example'] });
   */
  update(spaceId: string, change: SpaceChange, options?: RequestOptions): Promise<Space> {
    return this.api.send('PATCH /spaces/{spaceId}', { params: [spaceId], body: change }, options);
  }

  /**
   * Deletes a space with everything in it.
   *
   * @example
   * const { id } = await gatehouse.spaces.create({ name: 'Trial' });
   * await gatehouse.spaces.delete(id);
   */
  delete(spaceId: string, options?: RequestOptions): Promise<void> {
    return this.api.send('DELETE /spaces/{spaceId}', { params: [spaceId] }, options);
  }

  /**
   * Counts questions, tokens, cost, documents and events per day.
   *
   * @example
   * const usage = await gatehouse.spaces.usage();
   */
  usage(query?: UsageQuery, options?: RequestOptions): Promise<Usage> {
    return this.api.send('GET /spaces/{spaceId}/usage', { query }, options);
  }
}
