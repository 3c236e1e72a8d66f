import type { FastifyRequest } from 'fastify';
import { type Access, type Caller, readCredential } from '../../identity/index.ts';
import type { Links, WidgetCaller, WidgetSessions } from '../../links/index.ts';
import type { KnowledgeScope } from '../../storage/ports/index.ts';
import { otherSpace } from '../knowledge.errors.ts';
import { scopeOfLink, scopeOfSpace } from './scope.ts';

/** Whoever may read knowledge: a person or a key by their rights, a widget session by its link. */
export type Reader =
  | { readonly kind: 'caller'; readonly caller: Caller }
  | { readonly kind: 'widget'; readonly widget: WidgetCaller };

export interface ReadersDeps {
  readonly access: Pick<Access, 'caller' | 'space'>;
  readonly sessions: Pick<WidgetSessions, 'verify'>;
  readonly links: Pick<Links, 'filtersOf'>;
}

/** The one place where a request becomes a scope. */
export interface Readers {
  /** Throws 401, 403 or 410. */
  reader(request: FastifyRequest): Promise<Reader>;
  /** What the reader may see of a space; 403 when that is nothing. */
  scope(reader: Reader, spaceId: string): Promise<KnowledgeScope>;
}

export function createReaders({ access, sessions, links }: ReadersDeps): Readers {
  return {
    async reader(request) {
      const credential = readCredential(request.headers);
      return credential.kind === 'jwt'
        ? { kind: 'widget', widget: await sessions.verify(credential.text) }
        : { kind: 'caller', caller: await access.caller(request) };
    },
    async scope(reader, spaceId) {
      if (reader.kind === 'caller')
        return scopeOfSpace(
          await access.space(reader.caller, spaceId, { role: 'viewer', scope: 'read' }),
        );
      const { widget } = reader;
      if (widget.spaceId !== spaceId.toLowerCase()) throw otherSpace();
      return scopeOfLink(widget, await links.filtersOf(widget));
    },
  };
}
