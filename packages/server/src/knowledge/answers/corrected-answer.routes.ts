import { createAnswer, type Document } from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { route } from '../../http/index.ts';
import { type Access, replayWith } from '../../identity/index.ts';
import type { Documents } from '../documents/document.service.ts';
import { scopeForWriting } from '../search/scope.ts';
import { answerIssues, toAnswerDocument } from './corrected-answer.rules.ts';

export interface CorrectedAnswerRoutesDeps {
  readonly access: Pick<Access, 'caller' | 'space'>;
  readonly documents: Pick<Documents, 'add' | 'receive'>;
}

const MAY_WRITE = { role: 'editor', scope: 'knowledge:write' } as const;

export function registerCorrectedAnswerRoutes(
  app: FastifyInstance,
  { access, documents }: CorrectedAnswerRoutesDeps,
): void {
  route(app, createAnswer, {
    caller: (request) => access.caller(request),
    rules: answerIssues,
    replay: replayWith(access, MAY_WRITE),
    async handle({ caller, params, body, once }) {
      const scope = scopeForWriting(await access.space(caller, params.spaceId, MAY_WRITE));
      const { spaceId } = scope;
      const stored = once.store((document: Document) => ({ spaceId, response: created(document) }));
      const { text, ...sent } = toAnswerDocument(body);
      await using writer = documents.receive(scope);
      await writer.writeText(text);
      const { content } = await writer.finish();
      const { document } = await documents.add(scope, { ...sent, content }, stored);
      return created(document);
    },
  });
}

function created(document: Document) {
  const location = `/spaces/${document.spaceId}/documents/${document.id}`;
  return { status: 201, body: document, headers: { location } } as const;
}
