import { askPreview, type Issue } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { type Access, routesOnSpace } from '../identity/index.ts';
import { previewTargetIssues } from '../knowledge/index.ts';
import type { Turns } from './turns/turn.service.ts';

export interface PreviewRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'user' | 'space'>;
  readonly turns: Pick<Turns, 'preview'>;
}

const MAY_PREVIEW = { role: 'editor' } as const;

export function registerPreviewRoutes(
  app: FastifyInstance,
  { access, turns }: PreviewRoutesDeps,
): void {
  const edit = routesOnSpace(app, access, MAY_PREVIEW);
  edit(
    askPreview,
    async (space, { caller, body, request, gone }) => {
      const answer = await turns.preview(space, caller, body, {
        requestId: request.id,
        gone: gone(),
      });
      // The right of the user can end while the model answers.
      await access.space(await access.user(request), space.spaceId, MAY_PREVIEW);
      return answer;
    },
    { rules: (body) => [...previewTargetIssues(body), ...questionIssues(body)] },
  );
}

function questionIssues({ question }: Readonly<Record<string, unknown>>): Issue[] {
  return typeof question === 'string' && question !== '' && question.trim() === ''
    ? [{ message: 'question: must contain text' }]
    : [];
}
