import {
  askAssistant,
  decideToolCall,
  resumeAnswer,
  returnToolResult,
  stopAnswer,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { EventStream, route, routesFor } from '../../http/index.ts';
import type { WidgetCaller } from '../../links/index.ts';
import type { RunningAnswers } from '../resume/index.ts';
import type { Consents, PageCalls } from '../tools/index.ts';
import { type VisitorDeps, visitorOf } from '../visitor.service.ts';
import { chatIssues } from './question.rules.ts';
import type { Turns } from './turn.service.ts';
import { STREAM_HEADERS, toEvents, UI_STREAM } from './ui-stream.rules.ts';

export interface TurnRoutesDeps extends VisitorDeps {
  readonly turns: Turns;
  readonly consents: Consents;
  readonly pageCalls: PageCalls;
  readonly running: RunningAnswers;
}

export function registerTurnRoutes(app: FastifyInstance, deps: TurnRoutesDeps): void {
  route(app, askAssistant, {
    // Count the turn before the body is read, because reading a large body costs more than a rejection.
    caller: async (request) => {
      const askedAt = performance.now();
      return { ...(await deps.turns.admit(await visitorOf(deps, request), request.ip)), askedAt };
    },
    rules: (body) => chatIssues(body).map((message) => ({ message })),
    async handle({ caller, body, request }) {
      const { visitor } = caller;
      const chat = body.resumable && body.id !== undefined ? chatOf(visitor, body.id) : null;
      // A client that returned too late to resume its answer asks again.
      if (chat !== null) await deps.running.stop(chat, { ifDetached: true });
      const turn = await deps.turns.begin(caller, body, request.id);
      const start = (gone: AbortSignal) =>
        chat === null ? turn.run(gone) : deps.running.run(chat, turn, gone, caller.askedAt);
      const stream = new EventStream((gone) => toEvents(start(gone)), UI_STREAM);
      return { status: 200, stream, headers: STREAM_HEADERS };
    },
  });

  const forVisitors = routesFor(app, (request) => visitorOf(deps, request));
  forVisitors(decideToolCall, ({ caller, params, body }) =>
    deps.consents.decide(caller, params.callId, body.decision),
  );
  forVisitors(returnToolResult, ({ caller, params, body }) =>
    deps.pageCalls.answer(caller, params.callId, body),
  );

  // The response is the same for every chat ID, so callers cannot probe for conversations of others.
  route(app, resumeAnswer, {
    caller: (request) => visitorOf(deps, request),
    async handle({ caller, params }) {
      const follow = await deps.running.follow(caller, params.chatId);
      if (follow === null) return { status: 204 };
      const stream = new EventStream((gone) => toEvents(follow(gone)), UI_STREAM);
      return { status: 200, stream, headers: STREAM_HEADERS };
    },
  });

  route(app, stopAnswer, {
    caller: async (request) => {
      const requestedAt = performance.now();
      return { visitor: await visitorOf(deps, request), requestedAt };
    },
    async handle({ caller: { visitor, requestedAt }, params }) {
      await deps.running.stop(chatOf(visitor, params.chatId), { requestedAt });
      return { status: 204 };
    },
  });
}

function chatOf({ spaceId, linkId }: WidgetCaller, chatId: string) {
  return { spaceId, linkId, chatId };
}
