export type { RankedOrdinal } from './best.ts';
export { byCloseness, RESCORED } from './by-closeness.ts';
export { groupsOf } from './query-groups.ts';
export { rank } from './rank.ts';
export { Scratch } from './scratch.ts';
export { passagesOf, VisiblePassages } from './visible-passages.ts';
