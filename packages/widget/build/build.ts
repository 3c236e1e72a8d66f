// `npm run build`: writes dist/, which the server serves.
import { readFileSync } from 'node:fs';
import { build } from 'vite';
import { compressAll } from './compress.ts';
import { chat, DIST, frame, loader, names, tools } from './vite.ts';

await build(frame);
await build(tools);
await build(chat(readFileSync(`${DIST}/embed-tools.js`)));
await build(names);
await build(loader(readFileSync(`${DIST}/embed-chat.js`), readFileSync(`${DIST}/embed-names.js`)));
compressAll(DIST);
