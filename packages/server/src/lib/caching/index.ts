export { atMost } from './at-most.ts';
export { loadOnce } from './load-once.ts';
export { SharedReads } from './shared-reads.ts';
export { ShortCache } from './short-cache.ts';
