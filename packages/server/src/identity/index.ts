export { forbidden, roleOnBot, roleOnSpace } from './access/access.errors.ts';
export type {
  Access,
  AnswersAccess,
  BotAccess,
  Caller,
  ConversationsAccess,
  KeyCaller,
  Need,
  SpaceAccess,
  UserCaller,
} from './access/access.ts';
export { routesOnBot, routesOnSpace } from './access/checked-routes.ts';
export { readCredential } from './access/credential.rules.ts';
export { nameOfCaller, OF_CREDENTIAL, replayWith } from './access/replay.ts';
export { createAuditRepository } from './audit/audit.repository.ts';
export { installationSource } from './audit/audit-event.rules.ts';
export { createAuditEvents } from './audit/audit-events.ts';
export { hasBot } from './bots/bot.repository.ts';
export {
  createIdentity,
  type IdentityModule,
  openOneTimeLinks,
  registerIdentityRoutes,
} from './create-identity.ts';
export { createSpaces, registerSpaceRoutes, type SpacesModule } from './create-spaces.ts';
export { registerInstallationRoutes } from './installation/installation.routes.ts';
export {
  createInstallationStatus,
  type ShowInstallation,
} from './installation/installation-status.service.ts';
export { linkUrl } from './one-time-links/one-time-link.rules.ts';
export type { IssuedLink, OneTimeLinks } from './one-time-links/one-time-link.service.ts';
export { removeSecondFactorOf } from './second-factor/second-factor.repository.ts';
export {
  checkSingleSignOn,
  type SingleSignOnSettings,
} from './single-sign-on/create-single-sign-on.ts';
