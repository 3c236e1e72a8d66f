import { ApiError } from '@gatehouse/contract';
import { all, type Filter, matchAll } from '@gatehouse/filter';
import type { FastifyRequest } from 'fastify';
import {
  type Access,
  type Caller,
  readCredential,
  type SpaceAccess,
} from '../../identity/index.ts';
import type {
  LinkFilters,
  LinkReadLimit,
  Links,
  WidgetCaller,
  WidgetSessions,
} from '../../links/index.ts';
import { KnowledgeScope, type ReadCaller } from '../../storage/ports/index.ts';

/** An authenticated caller: a user or an API key with its rights, or a widget session with its link. */
export type KnowledgeCaller =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'widget'; readonly widget: WidgetCaller };

export interface KnowledgeAccessDeps {
  readonly access: Pick<Access, 'caller' | 'space'>;
  readonly sessions: Pick<WidgetSessions, 'verify'>;
  readonly links: Pick<Links, 'filtersOf'>;
  readonly readLimit: LinkReadLimit;
}

/** Derives the scope of a request. Routes must not construct scopes themselves. */
export interface KnowledgeAccess {
  /** Authenticates a request. Throws 401, 403 or 410. */
  caller(request: FastifyRequest): Promise<KnowledgeCaller>;
  /**
   * Returns the scope of a caller in a space, for one search or read. Throws 403 if the caller may not see any of the space, and
   * 429 if the link of a widget session had too many searches and reads.
   */
  scope(caller: KnowledgeCaller, spaceId: string): Promise<KnowledgeScope>;
}

export function createKnowledgeAccess(deps: KnowledgeAccessDeps): KnowledgeAccess {
  const { access, sessions, links, readLimit } = deps;
  return {
    async caller(request) {
      const credential = readCredential(request.headers);
      return credential.kind === 'jwt'
        ? { kind: 'widget', widget: await sessions.verify(credential.text) }
        : { kind: 'caller', caller: await access.caller(request) };
    },
    async scope(caller, spaceId) {
      if (caller.kind === 'caller')
        return scopeOfSpace(
          await access.space(caller.caller, spaceId, { role: 'viewer', scope: 'read' }),
        );
      const { widget } = caller;
      if (widget.spaceId !== spaceId.toLowerCase()) throw otherSpace();
      await readLimit.count(widget);
      return scopeOfLink(widget, await links.filtersOf(widget));
    },
  };
}

/** Returns the scope of a whole space. `SpaceAccess` proves the caller's right. */
export function scopeOfSpace({ spaceId, caller }: SpaceAccess): KnowledgeScope {
  const reader: ReadCaller =
    caller.kind === 'key' ? `key ${caller.keyId}` : `user ${caller.userId}`;
  return new KnowledgeScope(spaceId, matchAll, reader);
}

/** Returns the scope of a link: its `permissionFilter` AND its `filter`. */
export function scopeOfLink(widget: WidgetCaller, filters: LinkFilters): KnowledgeScope {
  const { spaceId, linkId } = widget;
  const filter = all(filters.permissionFilter, filters.filter);
  return new KnowledgeScope(spaceId, filter, `link ${linkId}`);
}

/** Narrows a scope by a filter of the caller. The result is never wider than the scope. */
export function narrowed(
  { spaceId, filter, caller }: KnowledgeScope,
  callerFilter: Filter,
): KnowledgeScope {
  return new KnowledgeScope(spaceId, all(filter, callerFilter), caller);
}

function otherSpace(): ApiError {
  return new ApiError({
    status: 403,
    code: 'access.forbidden',
    message: 'A widget session may access only the space of its link.',
  });
}
