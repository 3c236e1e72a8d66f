export { createRejectionRepository, type RejectionRepository } from './rejection.repository.ts';
export { type RejectionRoutesDeps, registerRejectionRoutes } from './rejection.routes.ts';
export { attributesOf, type Rejection, reasonOf, senderOf } from './rejection.rules.ts';
export { RejectionLog } from './rejection-log.ts';
