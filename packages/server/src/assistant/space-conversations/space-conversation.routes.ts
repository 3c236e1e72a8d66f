import { Readable } from 'node:stream';
import {
  exportConversations,
  listQuestions,
  listSpaceConversations,
  showSpaceConversation,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route, routesFor } from '../../http/index.ts';
import type { Access } from '../../identity/index.ts';
import type { ListQuestions } from './questions.service.ts';
import type { SpaceConversations } from './space-conversation.service.ts';

export interface SpaceConversationRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'conversations'>;
  readonly spaceConversations: SpaceConversations;
  readonly listQuestions: ListQuestions;
}

export function registerSpaceConversationRoutes(
  app: FastifyInstance,
  deps: SpaceConversationRoutesDeps,
): void {
  const { access, spaceConversations } = deps;
  const { caller } = access;

  const routes = routesFor(app, caller);
  routes(listSpaceConversations, async ({ caller: reader, params, query }) =>
    spaceConversations.list(await access.conversations(reader, params.spaceId), query),
  );

  route(app, exportConversations, {
    caller,
    async handle({ caller: reader, params, query, request }) {
      const space = await access.conversations(reader, params.spaceId);
      // An export can take hours, so a revoked credential must end it.
      const recheck = async () => access.conversations(await caller(request), params.spaceId);
      const { format, ...filters } = query;
      const lines = await spaceConversations.export(space, filters, format, recheck);
      return {
        status: 200,
        stream: Readable.from(lines, { objectMode: false }),
        headers: {
          'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl',
          'content-disposition': `attachment; filename="conversations.${format}"`,
        },
      };
    },
  });

  routes(showSpaceConversation, async ({ caller: reader, params, query }) => {
    const space = await access.conversations(reader, params.spaceId);
    return spaceConversations.show(space, params.conversationId.toLowerCase(), query);
  });

  routes(listQuestions, async ({ caller: reader, params, query }) =>
    deps.listQuestions(await access.conversations(reader, params.spaceId), query),
  );
}
