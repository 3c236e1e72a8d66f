// `npm run build`: makes dist/, which the server serves as it is.
import { build } from 'vite';
import { compressAll } from './compress.ts';
import { DIST, frame, loader } from './vite.ts';

await build(frame);
await build(loader);
compressAll(DIST);
