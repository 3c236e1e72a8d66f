import { askAssistant, decideToolCall, resumeAnswer, returnToolResult } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { EventStream, route } from '../../http/index.ts';
import type { Consents, PageCalls } from '../tools/index.ts';
import { type VisitorDeps, visitorOf } from '../visitor.service.ts';
import { chatIssues } from './question.rules.ts';
import type { Turns } from './turn.service.ts';
import { STREAM_HEADERS, toEvents, UI_STREAM } from './ui-stream.rules.ts';

export interface TurnRoutesDeps extends VisitorDeps {
  readonly turns: Turns;
  readonly consents: Consents;
  readonly pageCalls: PageCalls;
}

export function registerTurnRoutes(app: FastifyInstance, deps: TurnRoutesDeps): void {
  route(app, askAssistant, {
    // Count the turn before the body is read, because reading a large body costs more than a rejection.
    caller: async (request) => deps.turns.admit(await visitorOf(deps, request), request.ip),
    rules: (body) => chatIssues(body).map((message) => ({ message })),
    async handle({ caller, body, request }) {
      const turn = await deps.turns.begin(caller, body, request.id);
      const stream = new EventStream((gone) => toEvents(turn(gone)), UI_STREAM);
      return { status: 200, stream, headers: STREAM_HEADERS };
    },
  });

  route(app, decideToolCall, {
    caller: (request) => visitorOf(deps, request),
    async handle({ caller, params, body }) {
      await deps.consents.decide(caller, params.callId, body.decision);
      return { status: 204 };
    },
  });

  route(app, returnToolResult, {
    caller: (request) => visitorOf(deps, request),
    async handle({ caller, params, body }) {
      await deps.pageCalls.answer(caller, params.callId, body);
      return { status: 204 };
    },
  });

  // The response is the same for every chat id, so callers cannot probe for conversations of others.
  route(app, resumeAnswer, {
    caller: (request) => visitorOf(deps, request),
    handle: () => ({ status: 204 }),
  });
}
