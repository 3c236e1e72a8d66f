import { Readable } from 'node:stream';
import {
  exportConversations,
  listQuestions,
  listSpaceConversations,
  showSpaceConversation,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
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

  route(app, listSpaceConversations, {
    caller,
    async handle({ caller: reader, params, query }) {
      const space = await access.conversations(reader, params.spaceId);
      return { status: 200, body: await spaceConversations.list(space, query) };
    },
  });

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

  route(app, showSpaceConversation, {
    caller,
    async handle({ caller: reader, params, query }) {
      const space = await access.conversations(reader, params.spaceId);
      const id = params.conversationId.toLowerCase();
      return { status: 200, body: await spaceConversations.show(space, id, query) };
    },
  });

  route(app, listQuestions, {
    caller,
    async handle({ caller: reader, params, query }) {
      const space = await access.conversations(reader, params.spaceId);
      return { status: 200, body: await deps.listQuestions(space, query) };
    },
  });
}
