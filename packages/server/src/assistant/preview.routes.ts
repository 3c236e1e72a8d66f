import { askPreview, type Issue } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../http/index.ts';
import type { Access } from '../identity/index.ts';
import { previewTargetIssues } from '../knowledge/index.ts';
import type { Turns } from './turns/turn.service.ts';

export interface PreviewRoutesDeps {
  readonly access: Pick<Access, 'user' | 'space'>;
  readonly turns: Pick<Turns, 'preview'>;
}

export function registerPreviewRoutes(
  app: FastifyInstance,
  { access, turns }: PreviewRoutesDeps,
): void {
  route(app, askPreview, {
    caller: (request) => access.user(request),
    rules: (body) => [...previewTargetIssues(body), ...questionIssues(body)],
    async handle({ caller, params, body, request, gone }) {
      const space = await access.space(caller, params.spaceId, { role: 'editor' });
      const answer = await turns.preview(space, caller, body, {
        requestId: request.id,
        gone: gone(),
      });
      return { status: 200, body: answer };
    },
  });
}

function questionIssues({ question }: Readonly<Record<string, unknown>>): Issue[] {
  return typeof question === 'string' && question !== '' && question.trim() === ''
    ? [{ message: 'question: must contain text' }]
    : [];
}
