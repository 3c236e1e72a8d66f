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
export { createIdentity, type IdentityDeps, type IdentityModule } from './create-identity.ts';
export { createSpaces, registerSpaceRoutes, type SpacesModule } from './create-spaces.ts';
export { type IdentityRoutesDeps, registerIdentityRoutes } from './register-identity-routes.ts';
export type { AdministratorSettings, MadeUpAdministrator } from './users/user.service.ts';
