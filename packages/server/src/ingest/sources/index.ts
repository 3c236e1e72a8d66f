export { createSources, type SourcesModule } from './create-sources.ts';
export type { KnownSource, Registry, SpaceSources } from './registry.service.ts';
export { newSecretText, secretProblem, toKey } from './secret.rules.ts';
export {
  isSigned,
  readSignatures,
  SIGNATURE_FORM,
  sign,
  timestampProblem,
} from './signature.rules.ts';
export { registerSourceRoutes } from './source.routes.ts';
export { readWebhookHeaders, type WebhookHeaders } from './webhook-headers.rules.ts';
