export { limitByAddress } from './address-limit.ts';
export { limitBodiesTogether } from './body-admission.ts';
export { JUDGES_ITS_BODIES } from './body-parsers.ts';
export { closeConnectionsWhile } from './close-connections.ts';
export {
  type AllowedOrigins,
  answerHeaders,
  answerPreflights,
  type CrossOrigin,
  EXPOSED,
  foreignOrigin,
  type Headers,
  NO_NAMED_ORIGINS,
  OPAQUE_ORIGIN,
  VARY,
} from './cors.ts';
export { createHttp, type HttpOptions } from './create-http.ts';
export { EventBody } from './event-body.ts';
export { type EventFormat, EventStream } from './event-stream.ts';
export { type HealthOptions, registerHealth } from './health.ts';
export { bytesOf, readInputBody } from './input.ts';
export {
  MAX_BODY_DEPTH,
  parseJson,
  readJson,
  readJsonMember,
  readText,
  tooDeep,
} from './json-body.ts';
export {
  type CounterOptions,
  createMetrics,
  type GaugeOptions,
  type Metrics,
  registerMetrics,
} from './metrics.ts';
export { takeMultipartBodies } from './multipart-bodies.ts';
export { type DescribedBy, registerOpenApi } from './open-api.ts';
export { type UnpackLimits, unpackBodies } from './packed-bodies.ts';
export { registerReference } from './reference.ts';
export {
  type AnswerOf,
  anyone,
  type Call,
  notFound,
  type RouteOptions,
  route,
  routePath,
} from './route.ts';
export { compileCheck } from './validation.ts';
