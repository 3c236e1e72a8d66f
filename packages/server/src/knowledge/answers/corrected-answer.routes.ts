import { createAnswer } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { type Access, routesOnSpace } from '../../identity/index.ts';
import type { Documents } from '../documents/document.service.ts';
import { scopeForWriting } from '../search/scope.ts';
import { answerIssues, toAnswerDocument } from './corrected-answer.rules.ts';

export interface CorrectedAnswerRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'user' | 'space'>;
  readonly documents: Pick<Documents, 'add' | 'receive'>;
}

export function registerCorrectedAnswerRoutes(
  app: FastifyInstance,
  { access, documents }: CorrectedAnswerRoutesDeps,
): void {
  const write = routesOnSpace(app, access, { role: 'editor', scope: 'knowledge:write' });
  write.create(
    createAnswer,
    async (space, { body }, stored) => {
      const scope = scopeForWriting(space);
      const { text, ...sent } = toAnswerDocument(body);
      await using writer = documents.receive(scope);
      await writer.writeText(text);
      const { content } = await writer.finish();
      const { document } = await documents.add(scope, { ...sent, content }, stored);
      return document;
    },
    {
      rules: answerIssues,
      locationOf: ({ spaceId, id }) => `/spaces/${spaceId}/documents/${id}`,
    },
  );
}
