import type { List } from '../../http/list.ts';
import type { CreateOptions, RequestOptions } from '../../options.ts';
import type {
  EventSource,
  EventSourceChange,
  EventSourcePage,
  EventSourceWithSecret,
  ListQuery,
  NewEventSource,
  SecretRotation,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** Systems that sign the events they send, and their secrets. Requires a session. */
export class EventSources extends Resource {
  /**
   * Registers an event source. Only the result contains the secret.
   *
   * @example
   * const { id, secret } = await gatehouse.eventSources.create({
   *   name: 'shop backend',
   *   source: 'https://shop.example/orders',
   * });
   */
  create(source: NewEventSource, options?: CreateOptions): Promise<EventSourceWithSecret> {
    return this.api.send('POST! /spaces/{spaceId}/event-sources', { body: source }, options);
  }

  /**
   * Lists event sources, oldest first.
   *
   * @example
   * for await (const { name } of gatehouse.eventSources.list()) console.log(name);
   */
  list(query?: ListQuery, options?: RequestOptions): List<EventSourcePage> {
    return this.api.list('GET /spaces/{spaceId}/event-sources', { query }, options);
  }

  /**
   * Returns an event source.
   *
   * @example
   * const { source, match } = await gatehouse.eventSources.get(sourceId);
   */
  get(sourceId: string, options?: RequestOptions): Promise<EventSource> {
    const input = { params: [sourceId] } as const;
    return this.api.send('GET /spaces/{spaceId}/event-sources/{sourceId}', input, options);
  }

  /**
   * Changes an event source.
   *
   * @example
   * await gatehouse.eventSources.update(sourceId, { signatureRequired: true });
   */
  update(
    sourceId: string,
    change: EventSourceChange,
    options?: RequestOptions,
  ): Promise<EventSource> {
    const input = { params: [sourceId], body: change } as const;
    return this.api.send('PATCH /spaces/{spaceId}/event-sources/{sourceId}', input, options);
  }

  /**
   * Rotates the secret of an event source. The previous secret stays valid for a day, or for `keepOldSeconds`.
   *
   * @example
   * const { secret } = await gatehouse.eventSources.rotateSecret(sourceId);
   */
  rotateSecret(
    sourceId: string,
    rotation: SecretRotation = {},
    options?: RequestOptions,
  ): Promise<EventSourceWithSecret> {
    const input = { params: [sourceId], body: rotation } as const;
    return this.api.send('POST /spaces/{spaceId}/event-sources/{sourceId}/secrets', input, options);
  }

  /**
   * Deletes an event source with its secrets.
   *
   * @example
   * await gatehouse.eventSources.delete(sourceId);
   */
  delete(sourceId: string, options?: RequestOptions): Promise<void> {
    const input = { params: [sourceId] } as const;
    return this.api.send('DELETE /spaces/{spaceId}/event-sources/{sourceId}', input, options);
  }
}
