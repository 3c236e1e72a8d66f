export { forbidden, roleOnBot, roleOnSpace } from './access/access.errors.ts';
export type { Access } from './access/access.ts';
export type {
  BotAccess,
  Caller,
  KeyCaller,
  Need,
  SpaceAccess,
  UserCaller,
} from './access/caller.ts';
export { readCredential } from './access/credential.rules.ts';
export { type AccessDeps, type AccessRoom, createAccess } from './create-access.ts';
export { createSpaces, registerSpaceRoutes, type SpacesRoom } from './create-spaces.ts';
export { type AccessRoutesDeps, registerAccessRoutes } from './register-access-routes.ts';
export type { AdministratorSettings, MadeUpAdministrator } from './users/user.service.ts';
