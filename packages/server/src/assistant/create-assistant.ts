import {
  askAssistant,
  deleteConversation,
  listConversations,
  rateAnswer,
  showConversation,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import type { KnowledgeRoom } from '../knowledge/index.ts';
import type { Clock } from '../lib/scheduling/index.ts';
import { answerAcrossOrigins, type Links, type SessionCorsDeps } from '../links/index.ts';
import type { Database, Places, RateCounts, WriteTogether } from '../storage/ports/index.ts';
import type { Answerer } from './answerer.ts';
import {
  createConversationRepository,
  createNewestConversation,
} from './conversations/conversation.repository.ts';
import { registerConversationRoutes } from './conversations/conversation.routes.ts';
import { type Conversations, createConversations } from './conversations/conversation.service.ts';
import { ownerOf } from './conversations/owner.rules.ts';
import type { Prices } from './turns/cost.rules.ts';
import type { CountTurns } from './turns/turn.metrics.ts';
import { registerTurnRoutes } from './turns/turn.routes.ts';
import { createTurns, type Turns } from './turns/turn.service.ts';
import { createTurnLimits, type TurnRates } from './turns/turn-limits.ts';
import type { VisitorDeps } from './visitor.service.ts';

export interface ChatDeps {
  readonly db: Database;
  readonly writeTogether: WriteTogether;
  readonly knowledge: Pick<KnowledgeRoom, 'documents' | 'search'>;
  readonly links: Pick<Links, 'assistantOf' | 'requireLife'>;
  readonly answerer: Answerer;
  readonly clock: Clock;
  readonly turnsPerMinute: TurnRates;
  readonly rates: RateCounts;
  readonly places: Places;
  readonly count: CountTurns;
  /** Of the models that answer; null: what answers cost is not recorded. */
  readonly prices: Prices | null;
  /** An answer broke off, or could not be kept. */
  readonly onFailure: (error: unknown, requestId: string) => void;
}

export interface ChatRoom {
  readonly turns: Turns;
  readonly conversations: Conversations;
  readonly links: Pick<Links, 'assistantOf'>;
}

export function createChat(deps: ChatDeps): ChatRoom {
  const { db, writeTogether, links, turnsPerMinute: perMinute, rates, places } = deps;
  const { documents, search } = deps.knowledge;
  const conversations = createConversationRepository(db, writeTogether);
  const limits = createTurnLimits({ perMinute, rates, places });
  return {
    turns: createTurns({ ...deps, conversations, documents, search, limits }),
    conversations: createConversations(conversations, documents),
    links,
  };
}

/** Finds the conversation in which somebody said something last, for the exchange of their link. */
export function newestConversationIn(db: Database) {
  const newest = createNewestConversation(db);
  return (link: Parameters<typeof ownerOf>[0]) => newest(ownerOf(link));
}

export interface ChatRoutesDeps extends ChatRoom, VisitorDeps, SessionCorsDeps {
  readonly sessions: VisitorDeps['sessions'] & SessionCorsDeps['sessions'];
  /** What is being answered when the service stops has this long to come to its end. */
  readonly answersEndWithinMs: number;
}

const OPERATIONS = [
  askAssistant,
  listConversations,
  showConversation,
  deleteConversation,
  rateAnswer,
];

/** `/chat` and what lies below it. */
export function registerChatRoutes(app: FastifyInstance, deps: ChatRoutesDeps): void {
  app.register(async (part) => {
    answerAcrossOrigins(part, deps, OPERATIONS);
    registerTurnRoutes(part, deps);
    registerConversationRoutes(part, deps);
  });
  // The server waits for its answers before it closes, and so must hear of their end before.
  app.addHook('preClose', (done) => {
    void deps.turns.end(deps.answersEndWithinMs);
    done();
  });
  app.addHook('onClose', () => deps.turns.end(0));
}
