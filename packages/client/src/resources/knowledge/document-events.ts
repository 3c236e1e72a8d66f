import type { List } from '../../http/list.ts';
import type { RequestOptions } from '../../options.ts';
import type {
  DocumentEvent,
  DocumentEventPage,
  DocumentEventQuery,
  ListQuery,
  RetryResult,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** Events that synchronise documents with another system, and their results. */
export class DocumentEvents extends Resource {
  /**
   * Lists the newest document event of each subject.
   *
   * @example
   * for await (const { subject, failure } of gatehouse.documentEvents.list({ state: 'failed' })) {
   *   console.log(subject, failure?.message);
   * }
   */
  list(query?: DocumentEventQuery, options?: RequestOptions): List<DocumentEventPage> {
    return this.api.list('GET /spaces/{spaceId}/document-events', { query }, options);
  }

  /**
   * Returns a document event and its result.
   *
   * @example
   * const { state, documentId } = await gatehouse.documentEvents.get(documentEventId);
   */
  get(documentEventId: string, options?: RequestOptions): Promise<DocumentEvent> {
    const input = { params: [documentEventId] } as const;
    return this.api.send('GET /spaces/{spaceId}/document-events/{documentEventId}', input, options);
  }

  /**
   * Retries a failed document event. `state` of the result is the new result.
   *
   * @example
   * const { state } = await gatehouse.documentEvents.retry(documentEventId);
   */
  retry(documentEventId: string, options?: RequestOptions): Promise<DocumentEvent> {
    const input = { params: [documentEventId] } as const;
    return this.api.send(
      'POST /spaces/{spaceId}/document-events/{documentEventId}/retry',
      input,
      options,
    );
  }

  /**
   * Retries a page of failed document events. Repeat with `next` as `after` until `next` is `null`.
   *
   * @example
   * const { applied, failed, next } = await gatehouse.documentEvents.retryAll();
   */
  retryAll(query?: ListQuery, options?: RequestOptions): Promise<RetryResult> {
    return this.api.send('POST /spaces/{spaceId}/document-events/retry', { query }, options);
  }
}
