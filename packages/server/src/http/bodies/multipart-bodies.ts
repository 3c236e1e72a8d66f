import type { FastifyInstance } from 'fastify';

/** Takes `multipart/form-data` as bytes, for the routes of this part of the application alone. */
export function takeMultipartBodies(app: FastifyInstance): void {
  app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
}
