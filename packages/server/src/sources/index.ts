export { createSources, type SourcesDeps, type SourcesRoom } from './create-sources.ts';
export type { KnownSource, Registry, SpaceSources } from './registry.service.ts';
export { registerSourceRoutes, type SourceRoutesDeps } from './source.routes.ts';
