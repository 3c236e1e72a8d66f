import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gzipSync } from 'node:zlib';

/** A built script or style. It is read in its smallest form, `brotli`. The other forms are created at their first use. */
export class BuiltFile {
  readonly type: 'text/javascript' | 'text/css';
  readonly brotli: Buffer;
  #plain: Buffer | undefined;
  #gzip: Buffer | undefined;

  constructor(type: BuiltFile['type'], brotli: Buffer) {
    this.type = type;
    this.brotli = brotli;
  }

  get plain(): Buffer {
    this.#plain ??= brotliDecompressSync(this.brotli);
    return this.#plain;
  }

  /** Browsers accept `br` only over HTTPS or from localhost. */
  get gzip(): Buffer {
    this.#gzip ??= gzipSync(brotliDecompressSync(this.brotli));
    return this.#gzip;
  }
}

/** The built files of a package. They are served from memory, so requests cannot reach other paths. */
export interface BuiltFiles {
  /** Scripts and styles, by file name. */
  readonly files: Map<string, BuiltFile>;
  readonly script: string;
  /** File names of all modules that the entry script imports, for `modulepreload`. */
  readonly imports: readonly string[];
  readonly styles: readonly string[];
}

/** The built files of a package are missing or incomplete. `npm ci` builds them. */
export class NotBuilt extends Error {
  override readonly name = 'NotBuilt';

  /** @param what the package, such as `widget`. */
  constructor(what: string, cause: unknown) {
    super(`The ${what} is not built; run \`npm run build\`.`, { cause });
  }
}

export interface BuiltPackage {
  /** Name of the package in errors, such as `widget`. */
  readonly name: string;
  /** Folder of the built files. */
  readonly folder: string;
  /** Path of the entry script in the sources of the package. */
  readonly entry: string;
}

const MANIFEST = 'manifest.json';

/**
 * Returns the folder of a package's built files.
 *
 * @param manifest resolved address of the manifest: `import.meta.resolve('@gatehouse/widget/dist/manifest.json')`.
 */
export function folderOf(manifest: string): string {
  return dirname(fileURLToPath(manifest));
}

interface ManifestEntry {
  readonly file: string;
  readonly imports?: readonly string[];
}

/** Reads the built files of a package from disk. Throws `NotBuilt` if a file is missing. */
export function readBuiltFiles({ name, folder, entry }: BuiltPackage): BuiltFiles {
  try {
    const read = (file: string) => readFileSync(join(folder, file));
    const manifest: Record<string, ManifestEntry> = JSON.parse(read(MANIFEST).toString());
    const names = readdirSync(folder).filter((file) => /\.(?:js|css)$/.test(file));
    const files = new Map(
      names.map((name) => [name, new BuiltFile(typeOf(name), read(`${name}.br`))]),
    );
    const script = manifest[entry]?.file;
    if (script === undefined || !files.has(script))
      throw new Error(`${MANIFEST} names missing files.`);
    const styles = names.filter((file) => file.endsWith('.css'));
    return { files, script, imports: importsOf(manifest, entry), styles };
  } catch (error) {
    throw new NotBuilt(name, error);
  }
}

function importsOf(manifest: Readonly<Record<string, ManifestEntry>>, name: string): string[] {
  const found = (manifest[name]?.imports ?? []).flatMap((other) => [
    manifest[other]?.file ?? '',
    ...importsOf(manifest, other),
  ]);
  return [...new Set(found)];
}

function typeOf(name: string): BuiltFile['type'] {
  return name.endsWith('.css') ? 'text/css' : 'text/javascript';
}
