// `npm run docs:site`: writes dist/, which the server serves at /docs/. `dist/manifest.json` contains the hash of each file.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { buildSite, hashOf } from './build-site.ts';
import { MAX_BYTES } from './limits.ts';
import { readReferenceScript } from './reference-script.ts';

const DIST = join(import.meta.dirname, '../dist');

const files = await buildSite();
const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
if (bytes > MAX_BYTES)
  throw new Error(`the documentation has ${bytes} bytes; at most ${MAX_BYTES} are served`);

const served = [...files, await readReferenceScript()];
rmSync(DIST, { recursive: true, force: true });
for (const [path, content] of served) {
  const file = join(DIST, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  // The server does not compress files itself.
  writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
}
const tags = served.map(([path, content]) => [path, hashOf(content)]);
writeFileSync(join(DIST, 'manifest.json'), JSON.stringify(Object.fromEntries(tags)));
console.log(`documentation: ${files.size} files, ${bytes} bytes`);
