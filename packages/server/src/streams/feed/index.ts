export { spaceMissing } from './feed.errors.ts';
export { createFeed } from './feed.service.ts';
