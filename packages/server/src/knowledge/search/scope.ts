import { all, type Filter, matchAll } from '@gatehouse/filter';
import type { SpaceAccess } from '../../identity/index.ts';
import type { LinkFilters, WidgetCaller } from '../../links/index.ts';
import { KnowledgeScope } from '../../storage/ports/index.ts';

/** All of a space, for somebody whose right to it was just checked. */
export function scopeOfSpace({ spaceId }: SpaceAccess): KnowledgeScope {
  return new KnowledgeScope(spaceId, matchAll);
}

/** What a link lets its user see: its `permissionFilter`, and its `filter` inside of that. */
export function scopeOfLink(widget: WidgetCaller, filters: LinkFilters): KnowledgeScope {
  return new KnowledgeScope(widget.spaceId, all(filters.permissionFilter, filters.filter));
}

/** The part of a scope that a caller's own filter leaves; it can never be more. */
export function narrowed({ spaceId, filter }: KnowledgeScope, further: Filter): KnowledgeScope {
  return new KnowledgeScope(spaceId, all(filter, further));
}
