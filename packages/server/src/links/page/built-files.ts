import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the widget as it is sent, in each encoding that it was built in. */
export interface BuiltFile {
  readonly type: 'text/javascript' | 'text/css';
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

/** The widget as it was built, in memory: there is little of it, and nobody can ask for another path. */
export interface BuiltWidget {
  /** Scripts and styles of the frame, by their names. */
  readonly assets: ReadonlyMap<string, BuiltFile>;
  /** What a page includes. */
  readonly loader: BuiltFile;
  /** What that loads when the widget is opened. */
  readonly opening: BuiltFile;
  /** Names among the assets: what the page begins with. */
  readonly script: string;
  /** What that imports, to be fetched beside it and not after it. */
  readonly imports: readonly string[];
  readonly styles: readonly string[];
}

/** The widget was not built, which `npm ci` does, or not whole. */
export class WidgetNotBuilt extends Error {
  override readonly name = 'WidgetNotBuilt';
  constructor(cause: unknown) {
    super('the widget is not built; run `npm run build`', { cause });
  }
}

const MANIFEST = 'manifest.json';
const FOLDER = dirname(fileURLToPath(import.meta.resolve(`@gatehouse/widget/dist/${MANIFEST}`)));
const LOADER = 'embed.js';
const OPENING = 'embed-chat.js';
const ENTRY = 'frame/main.tsx';

interface ManifestEntry {
  readonly file: string;
  /** Names in the manifest. */
  readonly imports?: readonly string[];
}

/** Throws `WidgetNotBuilt`. */
export function readBuiltWidget(folder = FOLDER): BuiltWidget {
  try {
    const read = (name: string) => readFileSync(join(folder, name));
    const manifest: Record<string, ManifestEntry> = JSON.parse(read(MANIFEST).toString());
    const names = readdirSync(folder).filter((name) => /\.(?:js|css)$/.test(name));
    const files = new Map(names.map((name) => [name, readFile(read, name)]));
    const entry = manifest[ENTRY];
    const loader = files.get(LOADER);
    const opening = files.get(OPENING);
    if (entry === undefined || !files.has(entry.file) || !loader || !opening)
      throw new Error(`${MANIFEST} names files that are not there`);
    files.delete(LOADER);
    files.delete(OPENING);
    const styles = [...files.keys()].filter((name) => name.endsWith('.css'));
    const imports = importsOf(manifest, ENTRY);
    return { assets: files, loader, opening, script: entry.file, imports, styles };
  } catch (error) {
    throw new WidgetNotBuilt(error);
  }
}

/** The files that a chunk imports, and what these import. */
function importsOf(manifest: Readonly<Record<string, ManifestEntry>>, name: string): string[] {
  const found = (manifest[name]?.imports ?? []).flatMap((other) => [
    manifest[other]?.file ?? '',
    ...importsOf(manifest, other),
  ]);
  return [...new Set(found)];
}

function readFile(read: (name: string) => Buffer, name: string): BuiltFile {
  return {
    type: name.endsWith('.css') ? 'text/css' : 'text/javascript',
    plain: read(name),
    gzip: read(`${name}.gz`),
    brotli: read(`${name}.br`),
  };
}
