// `npm run build`: writes the published package to dist/.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle, ROOT } from './bundle.ts';
import { declarations } from './declarations.ts';

const { values } = parseArgs({ options: { out: { type: 'string', default: join(ROOT, 'dist') } } });
const { name, version, description, license } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);

rmSync(values.out, { recursive: true, force: true });
write('index.js', await bundle({ entry: "export * from './src/index.ts';" }));
for (const [path, text] of declarations()) write(join('types', path), text);
copyFileSync(join(ROOT, 'README.md'), join(values.out, 'README.md'));
copyFileSync(join(ROOT, '../../LICENSE'), join(values.out, 'LICENSE'));
const manifest = {
  name,
  version,
  description,
  license,
  keywords: ['gatehouse', 'cloudevents', 'webhooks', 'assistant'],
  type: 'module',
  sideEffects: false,
  exports: {
    '.': { types: './types/index.d.ts', default: './index.js' },
    './package.json': './package.json',
  },
  types: './types/index.d.ts',
  files: ['index.js', 'types'],
  engines: { node: '>=20.3' },
  publishConfig: { access: 'public' },
};
write('package.json', `${JSON.stringify(manifest, null, 2)}\n`);

function write(path: string, text: string): void {
  const file = join(values.out, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
