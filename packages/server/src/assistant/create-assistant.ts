import {
  addAttachment,
  askAssistant,
  decideToolCall,
  deleteConversation,
  followHandoff,
  leaveHandoff,
  listConversations,
  rateAnswer,
  removeAttachment,
  requestHandoff,
  resumeAnswer,
  returnToolResult,
  showConversation,
  stopAnswer,
} from '@gatehouse/contract';
import type { FastifyInstance } from 'fastify';
import { installationSource } from '../identity/index.ts';
import type { KnowledgeModule } from '../knowledge/index.ts';
import type { Clock } from '../lib/scheduling/index.ts';
import {
  type LinkReadLimit,
  type Links,
  respondAcrossOrigins,
  type SessionCorsDeps,
} from '../links/index.ts';
import { createSealer } from '../platform/secrets/index.ts';
import type {
  Database,
  EventStore,
  Hints,
  RateCounts,
  Semaphores,
  WriteAtomically,
} from '../storage/ports/index.ts';
import type { Answerer } from './answerer.ts';
import { createAttachmentRepository } from './attachments/attachment.repository.ts';
import { registerAttachmentRoutes } from './attachments/attachment.routes.ts';
import {
  type AttachmentLimits,
  type Attachments,
  createAttachments,
} from './attachments/attachment.service.ts';
import {
  createConversationRepository,
  createNewestConversation,
} from './conversations/conversation.repository.ts';
import { registerConversationRoutes } from './conversations/conversation.routes.ts';
import { type Conversations, createConversations } from './conversations/conversation.service.ts';
import { ownerOf } from './conversations/owner.rules.ts';
import { createHandoffRepository } from './handoff/handoff.repository.ts';
import {
  registerTeamHandoffRoutes,
  registerVisitorHandoffRoutes,
  type TeamHandoffRoutesDeps,
} from './handoff/handoff.routes.ts';
import { createHandoffs, type Handoffs, type WatchedVisitor } from './handoff/handoff.service.ts';
import type { Prices } from './models/index.ts';
import { type PreviewRoutesDeps, registerPreviewRoutes } from './preview.routes.ts';
import { createRunningAnswerRepository, RunningAnswers } from './resume/index.ts';
import {
  createListQuestions,
  type ListQuestions,
} from './space-conversations/questions.service.ts';
import { createSpaceConversationRepository } from './space-conversations/space-conversation.repository.ts';
import {
  registerSpaceConversationRoutes,
  type SpaceConversationRoutesDeps,
} from './space-conversations/space-conversation.routes.ts';
import {
  createSpaceConversations,
  type SpaceConversations,
} from './space-conversations/space-conversation.service.ts';
import {
  type CallTools,
  type Consents,
  createCallTools,
  createConsents,
  createPageCalls,
  createToolRepository,
  createTools,
  type PageCalls,
  registerToolRoutes,
  type ToolRoutesDeps,
  type ToolSender,
  type Tools,
} from './tools/index.ts';
import { LinkWatches } from './turns/link-watch.ts';
import type { CountTurns } from './turns/turn.metrics.ts';
import { registerTurnRoutes } from './turns/turn.routes.ts';
import { createTurns, type Turns } from './turns/turn.service.ts';
import type { TurnBudgetDeps } from './turns/turn-budget.ts';
import { createTurnLimits, type TurnRates } from './turns/turn-limits.ts';
import type { VisitorDeps } from './visitor.service.ts';

export interface AssistantDeps {
  readonly db: Database;
  readonly writeAtomically: WriteAtomically;
  readonly events: Pick<EventStore, 'append'>;
  readonly knowledge: Pick<KnowledgeModule, 'documents' | 'search' | 'readUpload'>;
  readonly attachmentLimits: AttachmentLimits;
  readonly links: Pick<Links, 'assistantOf' | 'filtersOf' | 'preview' | 'watch'>;
  readonly answerer: Answerer;
  /** Sends calls of tools. */
  readonly toolSender: ToolSender;
  /** Installation secret of 32 bytes, from which the encryption key of the tools' secrets is derived. */
  readonly secret: Buffer;
  readonly clock: Clock;
  readonly turnsPerMinute: TurnRates;
  readonly rates: RateCounts;
  readonly semaphores: Semaphores;
  readonly hints: Hints;
  readonly budgets: TurnBudgetDeps['budgets'];
  readonly count: CountTurns;
  /** Returns the prices of a model, or null if its costs are not recorded. */
  readonly pricesOf: (model: string) => Prices | null;
  readonly onToolFailure: (error: unknown) => void;
  /** Called when an answer fails or cannot be stored. */
  readonly onFailure: (error: unknown, requestId: string) => void;
}

export interface AssistantModule {
  readonly turns: Turns;
  readonly conversations: Conversations;
  readonly attachments: Attachments;
  readonly spaceConversations: SpaceConversations;
  readonly listQuestions: ListQuestions;
  readonly tools: Tools;
  readonly consents: Consents;
  readonly pageCalls: PageCalls;
  readonly running: RunningAnswers;
  readonly callTools: CallTools;
  readonly refusalOf: ToolSender['refusalOf'];
  readonly handoffs: Handoffs;
  readonly links: Pick<Links, 'assistantOf'>;
}

export function createAssistant(deps: AssistantDeps): AssistantModule {
  const { db, writeAtomically, links, turnsPerMinute: perMinute, rates, semaphores } = deps;
  const { documents, search, readUpload } = deps.knowledge;
  const conversations = createConversationRepository(db, writeAtomically);
  const attachments = createAttachments({
    ...{ conversations, links, readUpload, rates, semaphores, clock: deps.clock },
    repository: createAttachmentRepository(db),
    limits: deps.attachmentLimits,
  });
  const spaceConversations = createSpaceConversationRepository(db);
  const limits = createTurnLimits({ perMinute, rates, semaphores });
  const sealer = createSealer(deps.secret, 'tools');
  const tools = createToolRepository(db);
  const consents = createConsents({ db, clock: deps.clock });
  const { toolSender: sender, onToolFailure: onFailure, clock } = deps;
  const pageSealer = createSealer(deps.secret, 'page tools');
  const pageCalls = createPageCalls({ db, clock, sealer: pageSealer });
  const toCall = {
    ...{ tools, consents, pageCalls, sender, sealer, clock, onFailure },
    events: deps.events,
    source: installationSource(deps.secret),
  };
  const callTools = createCallTools(toCall);
  return {
    tools: createTools({ tools, sealer, clock }),
    consents,
    pageCalls,
    running: new RunningAnswers({
      repository: createRunningAnswerRepository(db),
      ...{ pageCalls, links, documents, semaphores, hints: deps.hints },
      sealer: createSealer(deps.secret, 'running answers'),
      clock,
      onFailure: (error) => deps.onFailure(error, 'resume'),
    }),
    callTools,
    refusalOf: (url) => sender.refusalOf(url),
    turns: createTurns({
      ...deps,
      ...{ conversations, documents, search, attachments, limits, callTools },
    }),
    conversations: createConversations(conversations, documents),
    attachments,
    spaceConversations: createSpaceConversations(spaceConversations, documents),
    listQuestions: createListQuestions(spaceConversations),
    handoffs: createHandoffs({
      ...deps,
      repository: createHandoffRepository(db),
      conversations,
      limits,
      watches: new LinkWatches<WatchedVisitor>({
        async confirm({ visitor }) {
          await links.watch(visitor);
        },
      }),
    }),
    links,
  };
}

/** Returns a function that finds the ID of a person's most recent conversation. The exchange of a link calls it. */
export function newestConversationIn(db: Database) {
  const newest = createNewestConversation(db);
  return (link: Parameters<typeof ownerOf>[0]) => newest(ownerOf(link));
}

export interface AssistantRoutesDeps extends AssistantModule, VisitorDeps, SessionCorsDeps {
  readonly access: VisitorDeps['access'] &
    PreviewRoutesDeps['access'] &
    SpaceConversationRoutesDeps['access'] &
    ToolRoutesDeps['access'] &
    TeamHandoffRoutesDeps['access'];
  readonly sessions: VisitorDeps['sessions'] & SessionCorsDeps['sessions'];
  readonly readLimit: LinkReadLimit;
  /** Maximum time for running answers to finish when the service stops, in milliseconds. */
  readonly answersEndWithinMs: number;
}

const OPERATIONS = [
  askAssistant,
  addAttachment,
  removeAttachment,
  decideToolCall,
  returnToolResult,
  listConversations,
  showConversation,
  deleteConversation,
  rateAnswer,
  resumeAnswer,
  stopAnswer,
  requestHandoff,
  followHandoff,
  leaveHandoff,
];

export function registerAssistantRoutes(app: FastifyInstance, deps: AssistantRoutesDeps): void {
  app.register(async (part) => {
    respondAcrossOrigins(part, deps, OPERATIONS);
    registerTurnRoutes(part, deps);
    registerConversationRoutes(part, deps);
    registerAttachmentRoutes(part, deps);
    registerVisitorHandoffRoutes(part, deps);
  });
  registerPreviewRoutes(app, deps);
  registerSpaceConversationRoutes(app, deps);
  registerToolRoutes(app, deps);
  registerTeamHandoffRoutes(app, deps);
  // The server waits for open responses before it closes, so running answers must end first.
  app.addHook('preClose', (done) => {
    void deps.turns.end(deps.answersEndWithinMs);
    done();
  });
  app.addHook('onClose', async () => {
    await deps.turns.end(0);
    deps.running.end();
  });
}
