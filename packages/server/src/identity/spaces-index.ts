export type { BotService } from './bots/bot.service.ts';
export {
  createSpaces,
  registerSpaceRoutes,
  type SpaceRoutesDeps,
  type SpacesDeps,
  type SpacesRoom,
} from './create-spaces.ts';
export type { MemberService } from './members/member.service.ts';
export type { SpaceService } from './spaces/space.service.ts';
