export type { BotService } from './bot.service.ts';
export {
  createSpaces,
  registerSpaceRoutes,
  type SpaceRoutesDeps,
  type SpacesDeps,
  type SpacesRoom,
} from './create-spaces.ts';
export type { MemberService } from './member.service.ts';
export type { SpaceService } from './space.service.ts';
