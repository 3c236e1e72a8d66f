import {
  deleteConversation,
  listConversations,
  rateAnswer,
  showConversation,
} from '@gatehouse/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { route } from '../../http/index.ts';
import { scopeOfLink } from '../../knowledge/index.ts';
import type { LinkedAssistant, LinkReadLimit, Links, WidgetCaller } from '../../links/index.ts';
import { type VisitorDeps, visitorOf } from '../visitor.service.ts';
import type { Conversations } from './conversation.service.ts';
import { type Owner, ownerOf } from './owner.rules.ts';

export interface ConversationRoutesDeps extends VisitorDeps {
  readonly conversations: Conversations;
  readonly links: Pick<Links, 'assistantOf'>;
  readonly readLimit: LinkReadLimit;
}

export function registerConversationRoutes(
  app: FastifyInstance,
  deps: ConversationRoutesDeps,
): void {
  const { conversations, links, readLimit } = deps;
  const caller = (request: FastifyRequest) => visitorOf(deps, request);
  const ownerFor = async (visitor: WidgetCaller) =>
    ownerWithHistory(visitor, await links.assistantOf(visitor));

  route(app, listConversations, {
    caller,
    async handle({ caller: visitor, query }) {
      await readLimit.count(visitor);
      return { status: 200, body: await conversations.list(await ownerFor(visitor), query) };
    },
  });

  route(app, showConversation, {
    caller,
    async handle({ caller: visitor, params, query }) {
      await readLimit.count(visitor);
      const assistant = await links.assistantOf(visitor);
      const owner = ownerWithHistory(visitor, assistant);
      const scope = scopeOfLink(visitor, assistant.filters);
      const id = params.conversationId.toLowerCase();
      return { status: 200, body: await conversations.show(owner, scope, id, query) };
    },
  });

  route(app, deleteConversation, {
    caller,
    async handle({ caller: visitor, params }) {
      await conversations.remove(await ownerFor(visitor), params.conversationId.toLowerCase());
      return { status: 204 };
    },
  });

  route(app, rateAnswer, {
    caller,
    async handle({ caller: visitor, params, body }) {
      await conversations.rate(await ownerFor(visitor), params.messageId.toLowerCase(), body);
      return { status: 204 };
    },
  });
}

function ownerWithHistory(visitor: WidgetCaller, { chatHistory }: LinkedAssistant): Owner | null {
  return chatHistory ? ownerOf(visitor) : null;
}
