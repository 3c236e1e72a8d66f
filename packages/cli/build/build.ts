// `npm run build`: writes the published package to dist/. The command is one file without dependencies.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { out: { type: 'string', default: join(ROOT, 'dist') } } });
const { name, version, description, license } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);
const REPOSITORY = join(ROOT, '../..');

rmSync(values.out, { recursive: true, force: true });
mkdirSync(values.out, { recursive: true });
await build({
  root: ROOT,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  build: {
    outDir: values.out,
    emptyOutDir: false,
    ssr: join(ROOT, 'src/main.ts'),
    target: 'node22',
    minify: false,
    rolldownOptions: {
      external: ['@gatehouse/server/admin'],
      output: { entryFileNames: 'gatehouse.js', codeSplitting: false },
    },
  },
  ssr: { noExternal: true },
});
chmodSync(join(values.out, 'gatehouse.js'), 0o755);
copyFileSync(join(ROOT, 'README.md'), join(values.out, 'README.md'));
copyFileSync(join(REPOSITORY, 'LICENSE'), join(values.out, 'LICENSE'));
writeFileSync(join(values.out, 'THIRD-PARTY-LICENSES'), licencesOf(['commander']));
const manifest = {
  name,
  version,
  description,
  license,
  keywords: ['gatehouse', 'cli', 'webhooks', 'cloudevents'],
  type: 'module',
  bin: { gatehouse: 'gatehouse.js' },
  files: ['gatehouse.js', 'THIRD-PARTY-LICENSES'],
  engines: { node: '>=22.12' },
  publishConfig: { access: 'public' },
};
writeFileSync(join(values.out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

function licencesOf(packages: readonly string[]): string {
  return packages
    .map((one) => {
      const text = readFileSync(join(REPOSITORY, 'node_modules', one, 'LICENSE'), 'utf8');
      return `${one}\n\n${text}`;
    })
    .join('\n');
}
