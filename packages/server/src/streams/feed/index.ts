export { spaceMissing } from './feed.errors.ts';
export { registerFeedRoutes } from './feed.routes.ts';
