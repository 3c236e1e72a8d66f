import { askAssistant } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { EventStream, route } from '../../http/index.ts';
import { type VisitorDeps, visitorOf } from '../visitor.service.ts';
import { chatIssues } from './question.rules.ts';
import type { Turns } from './turn.service.ts';
import { STREAM_HEADERS, toEvents, UI_STREAM } from './ui-stream.rules.ts';

export interface TurnRoutesDeps extends VisitorDeps {
  readonly turns: Turns;
}

/** `POST /chat` */
export function registerTurnRoutes(app: FastifyInstance, deps: TurnRoutesDeps): void {
  route(app, askAssistant, {
    // Counted before the body is read, since that may be large and cost more than the refusal.
    caller: async (request) => deps.turns.admit(await visitorOf(deps, request), request.ip),
    rules: (body) => chatIssues(body).map((message) => ({ message })),
    async handle({ caller, body, request }) {
      const turn = await deps.turns.begin(caller, body, request.id);
      const stream = new EventStream((gone) => toEvents(turn(gone)), UI_STREAM);
      return { status: 200, stream, headers: STREAM_HEADERS };
    },
  });
}
