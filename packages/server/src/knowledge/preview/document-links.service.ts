import { type DocumentLinks, MAX_EXAMINED_LINKS } from '@gatehouse/contract';
import { all, evaluate } from '@gatehouse/filter';
import type { SpaceAccess } from '../../identity/index.ts';
import { ThreadScheduler } from '../../lib/scheduling/index.ts';
import type { Links } from '../../links/index.ts';
import { noSuchDocument } from '../documents/document.errors.ts';
import type { PreviewRepository } from './preview.repository.ts';

export interface DocumentLinksDeps {
  readonly repository: Pick<PreviewRepository, 'versions'>;
  readonly links: Pick<Links, 'newestActive'>;
}

/** Returns the active links that show a document. Throws 404 if the space has no such document. */
export type ListDocumentLinks = (space: SpaceAccess, documentId: string) => Promise<DocumentLinks>;

export function createDocumentLinks({ repository, links }: DocumentLinksDeps): ListDocumentLinks {
  // Evaluating many large filters can take a second of the event loop.
  const scheduler = new ThreadScheduler();
  return async (space, documentId) => {
    const versions = await repository.versions(space, documentId.toLowerCase());
    if (versions.length === 0) throw noSuchDocument();
    const items: DocumentLinks['items'] = [];
    const found = links.newestActive(space, MAX_EXAMINED_LINKS);
    for (let examined = 0; ; examined += 1) {
      const next = await found.next();
      if (next.done === true) return { items, examined, isComplete: next.value };
      const { link, filters } = next.value;
      const isShown = await scheduler.run(space.spaceId, () => {
        const { spaceFilter, permissionFilter, filter } = filters();
        const whole = all(spaceFilter, permissionFilter, filter);
        return versions.every((version) => evaluate(whole, version));
      });
      if (isShown) items.push(link);
    }
  };
}
