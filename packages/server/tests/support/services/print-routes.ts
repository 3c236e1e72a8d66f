import { subscribe } from 'node:diagnostics_channel';

interface Route {
  readonly method: string | readonly string[];
  readonly url: string;
}

interface Application {
  addHook(name: 'onRoute', hook: (route: Route) => void): void;
}

/** Prints each registered route as `route GET /path` to standard error. Load the module before the service with `node --import`. */
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: Application };
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) process.stderr.write(`route ${one} ${url}\n`);
  });
});
