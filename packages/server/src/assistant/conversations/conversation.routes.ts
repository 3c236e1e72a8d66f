import {
  deleteConversation,
  listConversations,
  rateAnswer,
  showConversation,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { routesFor } from '../../http/index.ts';
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
  const routes = routesFor(app, (request) => visitorOf(deps, request));
  const ownerFor = async (visitor: WidgetCaller) =>
    ownerWithHistory(visitor, await links.assistantOf(visitor));

  routes(listConversations, async ({ caller: visitor, query }) => {
    await readLimit.count(visitor);
    return conversations.list(await ownerFor(visitor), query);
  });

  routes(showConversation, async ({ caller: visitor, params, query }) => {
    await readLimit.count(visitor);
    const assistant = await links.assistantOf(visitor);
    const owner = ownerWithHistory(visitor, assistant);
    const scope = scopeOfLink(visitor, assistant.filters);
    return conversations.show(owner, scope, params.conversationId.toLowerCase(), query);
  });

  routes(deleteConversation, async ({ caller: visitor, params }) =>
    conversations.remove(await ownerFor(visitor), params.conversationId.toLowerCase()),
  );

  routes(rateAnswer, async ({ caller: visitor, params, body }) =>
    conversations.rate(await ownerFor(visitor), params.messageId.toLowerCase(), body),
  );
}

function ownerWithHistory(visitor: WidgetCaller, { chatHistory }: LinkedAssistant): Owner | null {
  return chatHistory ? ownerOf(visitor) : null;
}
