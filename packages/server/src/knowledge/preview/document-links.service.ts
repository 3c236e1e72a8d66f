import { type DocumentLinks, MAX_EXAMINED_LINKS } from '@gatehouse/contract';
import { all } from '@gatehouse/filter';
import type { SpaceAccess } from '../../identity/index.ts';
import { type Clock, ThreadScheduler } from '../../lib/scheduling/index.ts';
import type { Links } from '../../links/index.ts';
import { noSuchDocument } from '../documents/document.errors.ts';
import { FilterEvaluations } from './filter-evaluations.ts';
import type { PreviewRepository } from './preview.repository.ts';

export interface DocumentLinksDeps {
  readonly repository: Pick<PreviewRepository, 'versions'>;
  readonly links: Pick<Links, 'newestActive'>;
  /** Milliseconds. Default: `performance.now`. */
  readonly clock?: Clock;
}

/**
 * Returns the active links that show a document. Throws 404 if the space has no such document, and `StorageTooSlow` if evaluating the
 * filters takes longer than two seconds.
 *
 * @param signal cancels the evaluation, which then rejects with the signal's reason.
 */
export type ListDocumentLinks = (
  space: SpaceAccess,
  documentId: string,
  signal?: AbortSignal,
) => Promise<DocumentLinks>;

export function createDocumentLinks({
  repository,
  links,
  clock,
}: DocumentLinksDeps): ListDocumentLinks {
  const scheduler = new ThreadScheduler();
  return async (space, documentId, signal) => {
    const { spaceId } = space;
    const evaluations = new FilterEvaluations({ scheduler, spaceId, signal, clock });
    const versions = await repository.versions(space, documentId.toLowerCase());
    if (versions.length === 0) throw noSuchDocument();
    const items: DocumentLinks['items'] = [];
    const found = links.newestActive(space, MAX_EXAMINED_LINKS);
    for (let examined = 0; ; examined += 1) {
      const next = await found.next();
      if (next.done === true) return { items, examined, isComplete: next.value };
      const { link, filters } = next.value;
      const whole = await evaluations.run(() => {
        const { spaceFilter, permissionFilter, filter } = filters();
        return all(spaceFilter, permissionFilter, filter);
      });
      let isShown = true;
      for (const version of versions)
        if (isShown) isShown = await evaluations.accepts(whole, version);
      if (isShown) items.push(link);
    }
  };
}
