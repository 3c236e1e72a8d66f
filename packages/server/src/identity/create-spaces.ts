import type { FastifyInstance } from 'fastify';
import type { Clock } from '../lib/scheduling/index.ts';
import type { Database, Semaphores } from '../storage/ports/index.ts';
import type { Access } from './access/access.ts';
import { createBotRepository } from './bots/bot.repository.ts';
import { registerBotOperations } from './bots/bot.routes.ts';
import { type BotService, createBotService } from './bots/bot.service.ts';
import { createMemberRepository } from './members/member.repository.ts';
import { registerMemberOperations } from './members/member.routes.ts';
import { createMemberService, type MemberService } from './members/member.service.ts';
import { createSpaceRepository } from './spaces/space.repository.ts';
import { registerSpaceOperations } from './spaces/space.routes.ts';
import { createSpaceService, type SpaceService } from './spaces/space.service.ts';

export interface SpacesDeps {
  readonly db: Database;
  readonly semaphores: Semaphores;
  readonly clock: Clock;
  /** Called after a space was deleted. The callback must end the space's keys and remove its events. */
  readonly onDeleted: (spaceId: string) => void;
  readonly onRetentionChanged?: (spaceId: string) => void;
}

export interface SpacesModule {
  readonly spaces: SpaceService;
  readonly bots: BotService;
  readonly members: MemberService;
}

export function createSpaces(deps: SpacesDeps): SpacesModule {
  const { db, semaphores, clock, onDeleted, onRetentionChanged = () => {} } = deps;
  const repository = createSpaceRepository(db);
  return {
    spaces: createSpaceService({ repository, clock, onDeleted, onRetentionChanged }),
    bots: createBotService({ repository: createBotRepository(db), semaphores, clock }),
    members: createMemberService({ repository: createMemberRepository(db), clock }),
  };
}

export interface SpaceRoutesDeps extends SpacesModule {
  readonly access: Access;
}

export function registerSpaceRoutes(app: FastifyInstance, deps: SpaceRoutesDeps): void {
  registerSpaceOperations(app, deps);
  registerBotOperations(app, deps);
  registerMemberOperations(app, deps);
}
