export { createHttp, type HttpOptions } from './create-http.ts';
export { bytesOf } from './input.ts';
export { type AnswerOf, anyone, type Call, notFound, type RouteOptions, route } from './route.ts';
