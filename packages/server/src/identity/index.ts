export { forbidden, roleOnBot, roleOnSpace } from './access/access.errors.ts';
export type {
  Access,
  BotAccess,
  Caller,
  KeyCaller,
  Need,
  SpaceAccess,
  UserCaller,
} from './access/access.ts';
export { readCredential } from './access/credential.rules.ts';
export { nameOfCaller, replayWith } from './access/replay.ts';
export {
  createIdentity,
  type IdentityDeps,
  type IdentityModule,
  type IdentityRoutesDeps,
  registerIdentityRoutes,
} from './create-identity.ts';
export { createSpaces, registerSpaceRoutes, type SpacesModule } from './create-spaces.ts';
export type { AdministratorSettings, MadeUpAdministrator } from './users/user.service.ts';
