import type { MediaTypeObject, SchemaObject } from './document.ts';

/** Returns a media type with one example. Generators of types copy `example` into comments, but not `examples`. */
export function mediaType(schema: SchemaObject, example: unknown): MediaTypeObject {
  return { schema, examples: { example: { value: example } } };
}
