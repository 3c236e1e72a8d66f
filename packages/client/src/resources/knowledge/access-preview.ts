import type { RequestOptions } from '../../options.ts';
import type {
  AccessPreviewRequest,
  Explanation,
  ExplanationRequest,
  AccessPreview as Preview,
  PreviewAnswer,
  PreviewQuestion,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** The documents that a link, or a filter, shows. Requires a session with edit rights. */
export class AccessPreview extends Resource {
  /**
   * Returns a page of the documents that a link or a filter shows, and the number of hidden documents.
   *
   * @example
   * const { visible, hiddenCount } = await gatehouse.accessPreview.get({
   *   permissionFilter: { department: { eq: 'support' } },
   * });
   */
  get(request: AccessPreviewRequest, options?: RequestOptions): Promise<Preview> {
    const input = { body: request, safe: true };
    return this.api.send('POST /spaces/{spaceId}/access-preview', input, options);
  }

  /**
   * Explains why a link shows or hides a document: one clause per predicate of its filters.
   *
   * @example
   * const { visible, clauses } = await gatehouse.accessPreview.explain({ linkId, documentId });
   */
  explain(request: ExplanationRequest, options?: RequestOptions): Promise<Explanation> {
    const input = { body: request, safe: true };
    return this.api.send('POST /spaces/{spaceId}/access-preview/explain', input, options);
  }

  /**
   * Returns the answer that a link would get to a question. Nothing is stored.
   *
   * @example
   * const { answer } = await gatehouse.accessPreview.ask({
   *   linkId,
   *   question: 'How long does a refund take?',
   * });
   */
  ask(request: PreviewQuestion, options?: RequestOptions): Promise<PreviewAnswer> {
    return this.api.send('POST /spaces/{spaceId}/access-preview/ask', { body: request }, options);
  }
}
