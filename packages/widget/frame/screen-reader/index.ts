export { type Announcer, createAnnouncer } from './announcer.ts';
export { LiveRegion, Speech } from './live-region.ts';
