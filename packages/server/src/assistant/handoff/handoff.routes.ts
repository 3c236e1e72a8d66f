import type { Readable } from 'node:stream';
import {
  endHandoff,
  followHandoff,
  followSpaceConversation,
  leaveHandoff,
  requestHandoff,
  sendTeamMessage,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { EventStream, route, routesFor, UNBUFFERED } from '../../http/index.ts';
import { type Access, nameOfCaller, OF_CREDENTIAL } from '../../identity/index.ts';
import type { LinkReadLimit } from '../../links/index.ts';
import type { SpaceConversations } from '../space-conversations/space-conversation.service.ts';
import type { Turns } from '../turns/turn.service.ts';
import { type VisitorDeps, visitorOf } from '../visitor.service.ts';
import type { StoredTeamMessage } from './handoff.repository.ts';
import { type Handoffs, type OpenUpdates, toSentMessage } from './handoff.service.ts';
import { UPDATES } from './handoff-stream.ts';

export interface VisitorHandoffRoutesDeps extends VisitorDeps {
  readonly handoffs: Handoffs;
  readonly turns: Pick<Turns, 'admit'>;
  readonly readLimit: LinkReadLimit;
}

/** Registers the operations of visitors. */
export function registerVisitorHandoffRoutes(
  app: FastifyInstance,
  deps: VisitorHandoffRoutesDeps,
): void {
  const { handoffs, turns, readLimit } = deps;
  // Streams can last for minutes, so the service must end them before it closes.
  app.addHook('preClose', async () => handoffs.close());

  route(app, requestHandoff, {
    caller: async (request) => turns.admit(await visitorOf(deps, request), request.ip),
    handle: async ({ caller, body }) => ({
      status: 200,
      body: await handoffs.request(caller, body.id),
    }),
  });

  route(app, followHandoff, {
    caller: (request) => visitorOf(deps, request),
    async handle({ caller: visitor, params }) {
      await readLimit.count(visitor);
      const id = params.conversationId.toLowerCase();
      return streamOf(() => handoffs.followAsVisitor(visitor, id));
    },
  });

  const forVisitors = routesFor(app, (request) => visitorOf(deps, request));
  forVisitors(leaveHandoff, ({ caller: visitor, params }) =>
    handoffs.leave(visitor, params.conversationId.toLowerCase()),
  );
}

export interface TeamHandoffRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'conversations' | 'answers'>;
  readonly handoffs: Handoffs;
  readonly spaceConversations: Pick<SpaceConversations, 'recordRead'>;
}

/** Registers the operations of the people who answer. */
export function registerTeamHandoffRoutes(app: FastifyInstance, deps: TeamHandoffRoutesDeps): void {
  const { access, handoffs, spaceConversations } = deps;
  const { caller } = access;

  route(app, followSpaceConversation, {
    caller,
    async handle({ caller: reader, params, request }) {
      const space = await access.conversations(reader, params.spaceId);
      const id = params.conversationId.toLowerCase();
      await spaceConversations.recordRead(space, id);
      const requireRight = async () => access.conversations(await caller(request), params.spaceId);
      return streamOf(() => handoffs.followAsTeam(space, id, requireRight));
    },
  });

  route(app, sendTeamMessage, {
    caller,
    replay: {
      ...OF_CREDENTIAL,
      caller: nameOfCaller,
      authorize: (who, spaceId) => access.answers(who, spaceId),
    },
    async handle({ caller: who, params, body, once }) {
      const space = await access.answers(who, params.spaceId);
      const { spaceId } = space;
      const stored = once.store((message: StoredTeamMessage) => ({
        spaceId,
        sub: message.sub,
        response: { status: 201, body: toSentMessage(message) } as const,
      }));
      const id = params.conversationId.toLowerCase();
      return { status: 201, body: await handoffs.answer(space, id, body, stored) };
    },
  });

  routesFor(app, caller)(endHandoff, async ({ caller: who, params }) => {
    const space = await access.answers(who, params.spaceId);
    await handoffs.end(space, params.conversationId.toLowerCase());
  });
}

/** Returns the stream that `open` opens, or 204 if it opens none. */
async function streamOf<Message>(open: () => Promise<OpenUpdates<Message> | null>) {
  const updates = await open();
  if (updates === null) return { status: 204 } as const;
  const stream: Readable = new EventStream(updates, UPDATES);
  return { status: 200, stream, headers: UNBUFFERED } as const;
}
