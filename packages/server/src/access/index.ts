export { forbidden, roleOnBot, roleOnSpace } from './access.errors.ts';
export type { Access } from './access.ts';
export type {
  BotAccess,
  Caller,
  KeyCaller,
  Need,
  SpaceAccess,
  UserCaller,
} from './caller.ts';
export { type AccessDeps, type AccessRoom, createAccess } from './create-access.ts';
export { readCredential } from './credential.rules.ts';
export { type AccessRoutesDeps, registerAccessRoutes } from './register-access-routes.ts';
export { ShortCache } from './short-cache.ts';
export type { AdministratorSettings, MadeUpAdministrator } from './user.service.ts';
