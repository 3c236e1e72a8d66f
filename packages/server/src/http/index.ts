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
export { decompressBodies } from './bodies/compressed-bodies.ts';
export { EventBody } from './bodies/event-body.ts';
export { type EventFormat, EventStream } from './bodies/event-stream.ts';
export { bytesOf, readInputBody } from './bodies/input.ts';
export { parseJson, readJsonMember, readText, tooDeep } from './bodies/json-body.ts';
export { compileCheck } from './bodies/validation.ts';
export { ConfirmedRight } from './confirmed-right.ts';
export { createHttp } from './create-http.ts';
export { unsupportedMediaType } from './errors.ts';
export { limitByAddress } from './guards/address-limit.ts';
export { closeConnectionsWhile } from './guards/close-connections.ts';
export {
  type AllowedOrigins,
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
export { registerHealth } from './operations/health.ts';
export { registerMetrics } from './operations/metrics.ts';
export { registerOpenApi } from './operations/open-api.ts';
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
export { type ResponseOf, UNBUFFERED } from './response.ts';
export { anyone, type Call, type RouteOptions, route, routePath } from './route.ts';
export { type BodyOf, type ResultOf, routesFor } from './routes-for.ts';
export { unknownRoute } from './unknown-route.ts';
