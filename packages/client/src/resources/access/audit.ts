import type { List } from '../../http/list.ts';
import type { RequestOptions } from '../../options.ts';
import type { AuditExportQuery, AuditPage, AuditQuery } from '../../types.ts';
import { Resource } from '../resource.ts';

/** The record of changes: who changed what, when and from which address. */
export class Audit extends Resource {
  /**
   * Lists entries, newest first.
   *
   * @example
   * for await (const { action } of gatehouse.audit.list({ spaceId })) console.log(action);
   */
  list(query?: AuditQuery, options?: RequestOptions): List<AuditPage> {
    return this.api.list('GET /audit', { query }, options);
  }

  /**
   * Exports entries as JSON Lines or CSV. The body of the result is a stream.
   *
   * @example
   * const response = await gatehouse.audit.export({ spaceId, format: 'csv' });
   * const csv = await response.text();
   */
  export(query?: AuditExportQuery, options?: RequestOptions): Promise<Response> {
    return this.api.open('GET /audit/export', { query }, options);
  }
}
