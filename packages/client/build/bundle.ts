import { join } from 'node:path';
import { build, type InlineConfig } from 'vite';

export const ROOT = import.meta.dirname.replace(/\/build$/, '');

export interface Bundle {
  /** Source of the entry module. It imports the client from `./src/index.ts`. */
  readonly entry: string;
  readonly format?: 'es' | 'iife';
  readonly minify?: boolean;
}

const ENTRY = join(ROOT, 'entry.ts');

/** Bundles a module with the client and returns the code. */
export async function bundle({ entry, format = 'es', minify = false }: Bundle): Promise<string> {
  const config: InlineConfig = {
    root: ROOT,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [
      {
        name: 'entry',
        enforce: 'pre',
        resolveId: (id) => (id === ENTRY ? ENTRY : null),
        load: (id) => (id === ENTRY ? entry : null),
      },
    ],
    build: {
      write: false,
      minify: minify ? 'oxc' : false,
      target: 'es2022',
      reportCompressedSize: false,
      lib: { entry: ENTRY, formats: [format], name: 'gatehouse' },
    },
  };
  const built = await build(config);
  const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
  const [chunk, ...others] = outputs;
  if (chunk?.type !== 'chunk' || others.length > 0) throw new Error('expected one chunk');
  return chunk.code;
}
