export { countDropped, showListeners } from './live.metrics.ts';
export { registerLiveRoutes } from './live.routes.ts';
export { createLive, type Live } from './live.service.ts';
