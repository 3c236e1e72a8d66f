// `npm run check:size`: compares the built files with `sizeLimits` in package.json.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { formatSizes, measure, type SizeLimits } from './sizes.ts';
import { DIST } from './vite.ts';

const PAGE = new URL('../../server/src/links/page/page.html', import.meta.url).pathname;

const { values } = parseArgs({ options: { dist: { type: 'string', default: DIST } } });
const packageJson = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const { sizeLimits }: { sizeLimits: SizeLimits } = JSON.parse(packageJson);
const sizes = measure(values.dist, PAGE, sizeLimits);
console.log(formatSizes(sizes));
if (sizes.some(({ bytes, limit }) => bytes > limit)) process.exitCode = 1;
