export { releaseBytes } from './release-bytes.ts';
export { createObjectsYoung } from './young-generation.ts';
