export { setActor } from './actors.ts';
export {
  conflict,
  denied,
  notFound,
  secondsText,
  tooMany,
  unauthorized,
  unavailable,
} from './api-errors.ts';
export { limitBodiesTogether } from './bodies/body-admission.ts';
export {
  acceptStreamedBodies,
  bodyBytes,
  bodyChunks,
  CHECKS_ITS_BODIES,
} from './bodies/body-parsers.ts';
export { type DecompressionLimits, decompressBodies } from './bodies/compressed-bodies.ts';
export { acceptsCoding } from './bodies/content-codings.ts';
export { EventBody } from './bodies/event-body.ts';
export { type EventFormat, EventStream } from './bodies/event-stream.ts';
export { bytesOf, readInputBody } from './bodies/input.ts';
export {
  MAX_BODY_DEPTH,
  parseJson,
  readJson,
  readJsonMember,
  readText,
  tooDeep,
} from './bodies/json-body.ts';
export { compileCheck } from './bodies/validation.ts';
export { createHttp, type HttpOptions } from './create-http.ts';
export { unsupportedMediaType } from './errors.ts';
export { limitByAddress } from './guards/address-limit.ts';
export { closeConnectionsWhile } from './guards/close-connections.ts';
export {
  type AllowedOrigins,
  type CrossOrigin,
  corsHeaders,
  EXPOSED,
  foreignOrigin,
  type Headers,
  OPAQUE_ORIGIN,
  respondToPreflights,
  VARY,
} from './guards/cors.ts';
export { isTokenOf, selectorHashOf } from './idempotency/derived-token.rules.ts';
export { hasIdempotencyKey } from './idempotency/idempotency-key.rules.ts';
export type { RecordedRequest } from './idempotency/keyed-request.ts';
export {
  type KeyedResources,
  selectorHashUnlessUsed,
} from './idempotency/keyed-resource.repository.ts';
export type { ReplayRules } from './idempotency/keyed-route.ts';
export { type HealthOptions, registerHealth } from './operations/health.ts';
export { registerMetrics } from './operations/metrics.ts';
export { type DescribedBy, registerOpenApi } from './operations/open-api.ts';
export {
  encodeCursor,
  type ListRequest,
  type Page,
  readCursor,
  readIntegerCursor,
  readLimit,
  readPositionCursor,
  readTextCursor,
  toPage,
} from './pages.ts';
export { type Once, type ResponseOf, UNBUFFERED } from './response.ts';
export { anyone, type Call, type RouteOptions, route, routePath } from './route.ts';
export { type BodyOf, type ExtraOptions, type ResultOf, routesFor } from './routes-for.ts';
export { unknownRoute } from './unknown-route.ts';
