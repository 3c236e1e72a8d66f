import { askPreview, type Issue } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { type Access, routesOnSpace } from '../identity/index.ts';
import { previewTargetIssues } from '../knowledge/index.ts';
import type { Turns } from './turns/turn.service.ts';

export interface PreviewRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'user' | 'space'>;
  readonly turns: Pick<Turns, 'preview'>;
}

export function registerPreviewRoutes(
  app: FastifyInstance,
  { access, turns }: PreviewRoutesDeps,
): void {
  const edit = routesOnSpace(app, access, { role: 'editor' });
  edit(
    askPreview,
    (space, { caller, body, request, gone }) =>
      turns.preview(space, caller, body, { requestId: request.id, gone: gone() }),
    { rules: (body) => [...previewTargetIssues(body), ...questionIssues(body)], isSlow: true },
  );
}

function questionIssues({ question }: Readonly<Record<string, unknown>>): Issue[] {
  return typeof question === 'string' && question !== '' && question.trim() === ''
    ? [{ message: 'question: must contain text' }]
    : [];
}
