import { subscribe } from 'node:diagnostics_channel';

interface Route {
  readonly method: string | readonly string[];
  readonly url: string;
}

interface Application {
  addHook(name: 'onRoute', hook: (route: Route) => void): void;
}

/**
 * Loaded before the service (`node --import`), this prints every route that is registered, as
 * `route GET /path` on standard error: what the process really serves, whatever it says of itself.
 */
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: Application };
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) process.stderr.write(`route ${one} ${url}\n`);
  });
});
