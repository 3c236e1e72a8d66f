import type { FastifyRequest } from 'fastify';
import { type Access, type Caller, readCredential } from '../../identity/index.ts';
import type { Links, WidgetCaller, WidgetSessions } from '../../links/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import { otherSpace } from '../knowledge.errors.ts';
import { scopeOfLink, scopeOfSpace } from './scope.ts';

/** Whoever may read knowledge: a person or a key by their rights, a widget session by its link. */
export type Viewer =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'widget'; readonly widget: WidgetCaller };

export interface ViewersDeps {
  readonly access: Pick<Access, 'caller' | 'space'>;
  readonly sessions: Pick<WidgetSessions, 'verify'>;
  readonly links: Pick<Links, 'filtersOf'>;
}

/** The one place where a request becomes a scope. */
export interface Viewers {
  /** Throws 401, 403 or 410. */
  viewer(request: FastifyRequest): Promise<Viewer>;
  /** What the viewer may see of a space; 403 when that is nothing. */
  scope(viewer: Viewer, spaceId: string): Promise<KnowledgeScope>;
}

export function createViewers({ access, sessions, links }: ViewersDeps): Viewers {
  return {
    async viewer(request) {
      const credential = readCredential(request.headers);
      return credential.kind === 'jwt'
        ? { kind: 'widget', widget: await sessions.verify(credential.text) }
        : { kind: 'caller', caller: await access.caller(request) };
    },
    async scope(viewer, spaceId) {
      if (viewer.kind === 'caller')
        return scopeOfSpace(
          await access.space(viewer.caller, spaceId, { role: 'viewer', scope: 'read' }),
        );
      const { widget } = viewer;
      if (widget.spaceId !== spaceId.toLowerCase()) throw otherSpace();
      return scopeOfLink(widget, await links.filtersOf(widget));
    },
  };
}
