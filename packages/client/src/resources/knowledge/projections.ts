import type { List } from '../../http/list.ts';
import type { CreateOptions, RequestOptions } from '../../options.ts';
import type {
  ListQuery,
  NewProjection,
  Projection,
  ProjectionChange,
  ProjectionPage,
  ProjectionTrial,
  RecordPage,
  RecordQuery,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** Definitions that derive records from the events of a space. */
export class Projections extends Resource {
  /**
   * Derives records from events. Searches find the records, and the assistant cites them.
   *
   * @example
   * const { id } = await gatehouse.projections.create({
   *   name: 'Order',
   *   types: ['example.order.*'],
   *   key: 'subject',
   *   fields: { status: '/status', customer: '/customerId' },
   *   title: 'Order {key}',
   *   text: 'Order {key} is {status}.',
   *   metadata: { customer: { field: 'customer' } },
   * });
   */
  create(projection: NewProjection, options?: CreateOptions): Promise<Projection> {
    return this.api.send('POST! /spaces/{spaceId}/projections', { body: projection }, options);
  }

  /**
   * Applies a definition to the last hundred events and stores nothing.
   *
   * @example
   * const { records, skipped } = await gatehouse.projections.try({
   *   name: 'Order',
   *   types: ['example.order.*'],
   *   key: 'subject',
   *   fields: { status: '/status' },
   *   title: 'Order {key}',
   *   text: 'Order {key} is {status}.',
   *   metadata: {},
   * });
   */
  try(projection: NewProjection, options?: RequestOptions): Promise<ProjectionTrial> {
    return this.api.send('POST /spaces/{spaceId}/projections/try', { body: projection }, options);
  }

  /**
   * Lists projections, oldest first.
   *
   * @example
   * for await (const { name, state, records } of gatehouse.projections.list()) {
   *   console.log(name, state, records);
   * }
   */
  list(query?: ListQuery, options?: RequestOptions): List<ProjectionPage> {
    return this.api.list('GET /spaces/{spaceId}/projections', { query }, options);
  }

  /**
   * Returns a projection and its progress.
   *
   * @example
   * const { state, position, newest } = await gatehouse.projections.get(projectionId);
   */
  get(projectionId: string, options?: RequestOptions): Promise<Projection> {
    const input = { params: [projectionId] } as const;
    return this.api.send('GET /spaces/{spaceId}/projections/{projectionId}', input, options);
  }

  /**
   * Changes a projection. Its records are removed and derived from the log again.
   *
   * @example
   * await gatehouse.projections.update(projectionId, { text: 'Order {key}: {status}.' });
   */
  update(
    projectionId: string,
    change: ProjectionChange,
    options?: RequestOptions,
  ): Promise<Projection> {
    const input = { params: [projectionId], body: change } as const;
    return this.api.send('PATCH /spaces/{spaceId}/projections/{projectionId}', input, options);
  }

  /**
   * Derives the records from the log again. The records stay searchable until they are replaced.
   *
   * @example
   * const { newest } = await gatehouse.projections.rebuild(projectionId);
   */
  rebuild(projectionId: string, options?: RequestOptions): Promise<Projection> {
    const input = { params: [projectionId] } as const;
    return this.api.send(
      'POST /spaces/{spaceId}/projections/{projectionId}/rebuild',
      input,
      options,
    );
  }

  /**
   * Deletes a projection with its records.
   *
   * @example
   * await gatehouse.projections.delete(projectionId);
   */
  delete(projectionId: string, options?: RequestOptions): Promise<void> {
    const input = { params: [projectionId] } as const;
    return this.api.send('DELETE /spaces/{spaceId}/projections/{projectionId}', input, options);
  }

  /**
   * Lists the records of a projection, ordered by key.
   *
   * @example
   * for await (const { key, title, fields } of gatehouse.projections.records(projectionId)) {
   *   console.log(key, title, fields['status']?.value);
   * }
   */
  records(projectionId: string, query?: RecordQuery, options?: RequestOptions): List<RecordPage> {
    const input = { params: [projectionId], query } as const;
    return this.api.list(
      'GET /spaces/{spaceId}/projections/{projectionId}/records',
      input,
      options,
    );
  }
}
