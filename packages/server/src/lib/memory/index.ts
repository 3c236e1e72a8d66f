export { releaseBytes } from './release-bytes.ts';
