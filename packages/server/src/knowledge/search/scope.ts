import type { ApiError } from '@gatehouse/contract';
import { all, type Filter, matchAll, parse } from '@gatehouse/filter';
import type { FastifyRequest } from 'fastify';
import { denied } from '../../http/index.ts';
import {
  type Access,
  type Caller,
  nameOfCaller,
  readCredential,
  type SpaceAccess,
} from '../../identity/index.ts';
import { PacedRejections, type WorkOwner } from '../../lib/scheduling/index.ts';
import type { ConcurrentCaller } from '../../lib/threads/index.ts';
import type {
  LinkFilters,
  LinkReadLimit,
  Links,
  WidgetCaller,
  WidgetSessions,
} from '../../links/index.ts';
import {
  type KnowledgeEngine,
  KnowledgeScope,
  type ReadCaller,
} from '../../storage/ports/index.ts';
import { invalid } from '../documents/document.errors.ts';

/** Number of searches with a large body that an API key or a user may run at the same time. */
const MAX_CONCURRENT_READS = 4;

/** An authenticated caller: a user or an API key with its rights, or a widget session with its link. */
export type KnowledgeCaller =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'widget'; readonly widget: WidgetCaller };

export interface KnowledgeAccessDeps {
  readonly access: Pick<Access, 'caller' | 'space'>;
  readonly sessions: Pick<WidgetSessions, 'verify'>;
  readonly links: Pick<Links, 'filtersOf'>;
  readonly readLimit: LinkReadLimit;
  readonly admit: KnowledgeEngine['admit'];
}

/** Derives the scope of a request. Routes must not construct scopes themselves. */
export interface KnowledgeAccess {
  /**
   * Authenticates a search or read. Throws 401, 403 or 410. For a widget session, also throws if its link has used up its time
   * or its number of searches and reads. This check is made before the body of the request is read.
   */
  caller(request: FastifyRequest): Promise<KnowledgeCaller>;
  /** Returns the caller for the user of a link. Throws if the link has used up its limit of time or of searches and reads. */
  user(widget: WidgetCaller): Promise<KnowledgeCaller>;
  /** Returns the scope of a caller in a space. Throws 403 if the caller may not see any of it. */
  scope(caller: KnowledgeCaller, spaceId: string): Promise<KnowledgeScope>;
  /**
   * Like `scope`, to confirm during a long response that its caller still may see what is sent. Verifies the credential of a user or an
   * API key again. Reads in this scope count against no limit.
   */
  currentScope(
    request: FastifyRequest,
    caller: KnowledgeCaller,
    spaceId: string,
  ): Promise<KnowledgeScope>;
}

export function createKnowledgeAccess(deps: KnowledgeAccessDeps): KnowledgeAccess {
  const { access, sessions, links, readLimit, admit } = deps;
  const rejections = new PacedRejections(() => performance.now());
  async function user(widget: WidgetCaller): Promise<KnowledgeCaller> {
    const reader = callerOfLink(widget);
    try {
      admit({ spaceId: widget.spaceId, caller: reader });
      await readLimit.count(widget);
    } catch (error) {
      await rejections.wait(reader);
      throw error;
    }
    return { kind: 'widget', widget };
  }
  async function scope(caller: KnowledgeCaller, spaceId: string): Promise<KnowledgeScope> {
    if (caller.kind === 'caller')
      return scopeOfSpace(
        await access.space(caller.caller, spaceId, { role: 'viewer', scope: 'read' }),
      );
    const { widget } = caller;
    if (widget.spaceId !== spaceId.toLowerCase()) throw otherSpace();
    return scopeOfLink(widget, await links.filtersOf(widget));
  }

  return {
    user,
    scope,
    async caller(request) {
      const credential = readCredential(request.headers);
      if (credential.kind !== 'jwt')
        return { kind: 'caller', caller: await access.caller(request) };
      return user(await sessions.verify(credential.text));
    },
    async currentScope(request, caller, spaceId) {
      const current =
        caller.kind === 'caller'
          ? { kind: caller.kind, caller: await access.caller(request) }
          : caller;
      const { spaceId: id, filter } = await scope(current, spaceId);
      return new KnowledgeScope(id, filter);
    },
  };
}

/** Returns the scope of a whole space. `SpaceAccess` proves the caller's right. */
export function scopeOfSpace({ spaceId, caller }: SpaceAccess): KnowledgeScope {
  return new KnowledgeScope(spaceId, matchAll, nameOfCaller(caller));
}

/**
 * Returns the scope of a whole space for a write. Reads in this scope have no caller, so neither time budgets nor busy searches
 * make a write fail.
 */
export function scopeForWriting({ spaceId }: SpaceAccess): KnowledgeScope {
  return new KnowledgeScope(spaceId, matchAll);
}

/** Returns the scope of a whole space, with which its index is loaded into memory. Do not use what a search in this scope returns. */
export function scopeForLoading(spaceId: string): KnowledgeScope {
  return new KnowledgeScope(spaceId, matchAll);
}

/** Returns the scope of a link: the space's filter AND the link's `permissionFilter` AND its `filter`. */
export function scopeOfLink(widget: WidgetCaller, filters: LinkFilters): KnowledgeScope {
  return new KnowledgeScope(widget.spaceId, filterOf(filters), callerOfLink(widget));
}

/**
 * Returns the scope of a link for checks by the service itself. Reads in this scope have no caller, so a link that has used up its time
 * cannot make the checks fail.
 */
export function scopeForWatching(widget: WidgetCaller, filters: LinkFilters): KnowledgeScope {
  return new KnowledgeScope(widget.spaceId, filterOf(filters));
}

/** Returns the scope that a link with these filters has. `SpaceAccess` proves the right of the user who reads in the scope. */
export function scopeOfPreview(space: SpaceAccess, filters: LinkFilters): KnowledgeScope {
  const { spaceId, caller } = scopeOfSpace(space);
  return new KnowledgeScope(spaceId, filterOf(filters), caller);
}

/** Returns the conjunction of all filters that apply to a link. */
function filterOf({ spaceFilter, permissionFilter, filter }: LinkFilters): Filter {
  return all(spaceFilter, permissionFilter, filter);
}

/**
 * Returns the owner of a request for work that the scheduler shares among spaces and callers. A user can have access to several spaces and therefore
 * counts as a space. The widget sessions of a link run one search at a time, so they never use the event loop and a search thread at once.
 */
export function ownerOf(caller: KnowledgeCaller): WorkOwner & ConcurrentCaller {
  if (caller.kind === 'widget')
    return {
      spaceId: caller.widget.spaceId,
      caller: callerOfLink(caller.widget),
      maxConcurrent: 1,
    };
  const { caller: authenticated } = caller;
  return {
    spaceId: authenticated.kind === 'key' ? authenticated.spaceId : authenticated.userId,
    caller: nameOfCaller(authenticated),
    maxConcurrent: MAX_CONCURRENT_READS,
  };
}

function callerOfLink({ linkId }: WidgetCaller): ReadCaller {
  return `link ${linkId}`;
}

/** Narrows a scope by a filter of the caller. The result is never wider than the scope. */
export function narrowed(
  { spaceId, filter, caller }: KnowledgeScope,
  callerFilter: Filter,
): KnowledgeScope {
  return new KnowledgeScope(spaceId, all(filter, callerFilter), caller);
}

/** Returns the part of a scope with the file name and the text of a query. Throws 400 if the text is no valid `search`. */
export function matching(
  scope: KnowledgeScope,
  { fileName, search }: { readonly fileName?: string; readonly search?: string },
): KnowledgeScope {
  if (fileName === undefined && search === undefined) return scope;
  const parsed = parse({
    ...(fileName === undefined ? {} : { fileName: { eq: fileName } }),
    ...(search === undefined ? {} : { search }),
  });
  if (parsed.ok) return narrowed(scope, parsed.filter);
  throw invalid(parsed.problems.map(({ path, message }) => ({ message: `${path}: ${message}` })));
}

function otherSpace(): ApiError {
  return denied('access.forbidden', 'A widget session may access only the space of its link.');
}
