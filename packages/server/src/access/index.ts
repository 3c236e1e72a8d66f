export type { Access } from './access.ts';
export type {
  BotAccess,
  Caller,
  KeyCaller,
  Need,
  SpaceAccess,
  UserCaller,
} from './caller.ts';
