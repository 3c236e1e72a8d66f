// `npm run check:size`: compares the size of each class, after minification and gzip, with `sizeLimits` in package.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { bundle, ROOT } from './bundle.ts';

const { sizeLimits }: { sizeLimits: Record<string, number> } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);
for (const [name, limit] of Object.entries(sizeLimits)) {
  const entry = `import { ${name} } from './src/index.ts'; globalThis.used = ${name};`;
  const code = await bundle({ entry, format: 'iife', minify: true });
  const bytes = gzipSync(code, { level: constants.Z_BEST_COMPRESSION }).length;
  const mark = bytes > limit ? ': TOO LARGE' : '';
  console.log(`${String(bytes).padStart(8)}  ${name}, at most ${limit}${mark}`);
  if (bytes > limit) process.exitCode = 1;
}
