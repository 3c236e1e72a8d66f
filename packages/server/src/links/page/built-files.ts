import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface BuiltFile {
  readonly type: 'text/javascript' | 'text/css';
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

/** All files of the built widget. The files are served from memory, so requests cannot reach other paths. */
export interface BuiltWidget {
  /** Scripts and styles of the frame, by file name. */
  readonly assets: ReadonlyMap<string, BuiltFile>;
  /** The script that host pages include (`embed.js`). */
  readonly loader: BuiltFile;
  /** The script that the loader fetches when the widget opens. */
  readonly opening: BuiltFile;
  /** Asset name of the frame's entry script. */
  readonly script: string;
  /** Asset names of all modules that the entry script imports, for `modulepreload`. */
  readonly imports: readonly string[];
  readonly styles: readonly string[];
}

/** The built widget files are missing or incomplete. `npm ci` builds them. */
export class WidgetNotBuilt extends Error {
  override readonly name = 'WidgetNotBuilt';
  constructor(cause: unknown) {
    super('The widget is not built; run `npm run build`.', { cause });
  }
}

const MANIFEST = 'manifest.json';
const FOLDER = dirname(fileURLToPath(import.meta.resolve(`@gatehouse/widget/dist/${MANIFEST}`)));
const LOADER = 'embed.js';
const OPENING = 'embed-chat.js';
const ENTRY = 'frame/main.tsx';

interface ManifestEntry {
  readonly file: string;
  readonly imports?: readonly string[];
}

/** Reads the built widget from disk. Throws `WidgetNotBuilt` if a file is missing. */
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
      throw new Error(`${MANIFEST} names missing files.`);
    files.delete(LOADER);
    files.delete(OPENING);
    const styles = [...files.keys()].filter((name) => name.endsWith('.css'));
    const imports = importsOf(manifest, ENTRY);
    return { assets: files, loader, opening, script: entry.file, imports, styles };
  } catch (error) {
    throw new WidgetNotBuilt(error);
  }
}

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
