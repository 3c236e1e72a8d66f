export { createHttp, type HttpOptions } from './create-http.ts';
export { bytesOf } from './input.ts';
export { JsonCursor, textAt } from './json-scan.ts';
export { measureJson, TOO_DEEP } from './json-shape.ts';
export { MAX_BODY_DEPTH, parseJson, readJson, readText, tooDeep } from './json-text.ts';
export { shownName } from './member-name.ts';
export { type AnswerOf, anyone, type Call, notFound, type RouteOptions, route } from './route.ts';
