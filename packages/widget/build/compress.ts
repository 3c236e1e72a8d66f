import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const IS_SERVED = /\.(?:js|css)$/;

/** Writes `.br` and `.gz` beside each file that is served, so that serving one costs reading it. */
export function compressAll(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => IS_SERVED.test(file))) {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
    writeFileSync(`${path}.br`, brotliCompressSync(bytes));
  }
}
