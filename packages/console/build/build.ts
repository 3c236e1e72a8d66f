// `npm run build`: writes dist/, which the server serves.
import { compressAll } from '@gatehouse/widget/build/compress';
import { build } from 'vite';
import { DIST, pages } from './vite.ts';

await build(pages);
compressAll(DIST);
