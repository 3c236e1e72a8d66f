export { createSources, type SourcesDeps, type SourcesModule } from './create-sources.ts';
export type { KnownSource, Registry, SpaceSources } from './registry.service.ts';
export { newSecretText, secretProblem, toKey } from './secret.rules.ts';
export {
  isSigned,
  readSignatures,
  SIGNATURE_FORM,
  type SignedParts,
  sign,
  timestampProblem,
} from './signature.rules.ts';
export { registerSourceRoutes, type SourceRoutesDeps } from './source.routes.ts';
export {
  type ReadWebhookHeaders,
  readWebhookHeaders,
  type WebhookHeaders,
} from './webhook-headers.rules.ts';
