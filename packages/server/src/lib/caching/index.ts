export { atMost } from './at-most.ts';
export { SharedReads } from './shared-reads.ts';
export { ShortCache } from './short-cache.ts';
