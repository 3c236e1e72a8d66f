// `npm run build`: makes dist/, which the server serves as it is.
import { readFileSync } from 'node:fs';
import { build } from 'vite';
import { compressAll } from './compress.ts';
import { DIST, frame, loader, opening } from './vite.ts';

await build(frame);
await build(opening);
await build(loader(readFileSync(`${DIST}/embed-chat.js`)));
compressAll(DIST);
