// `npm run build`: writes dist/, which the server serves.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { chat, DIST, frame, loader, names } from './vite.ts';

await build(frame);
await build(chat);
await build(names);
await build(loader(readFileSync(`${DIST}/embed-chat.js`), readFileSync(`${DIST}/embed-names.js`)));
compressAll(DIST);

/** Writes a `.br` and a `.gz` file beside each served file. The server therefore does not compress files itself. */
function compressAll(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => /\.(?:js|css)$/.test(file))) {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
    writeFileSync(`${path}.br`, brotliCompressSync(bytes));
  }
}
