import {
  type BuiltFile,
  folderOf,
  NotBuilt,
  readBuiltFiles,
} from '../../http/built-files/index.ts';

/** All files of the built widget. */
export interface BuiltWidget {
  /** Scripts and styles of the frame, by file name. */
  readonly assets: ReadonlyMap<string, BuiltFile>;
  /** The script that host pages include (`embed.js`). */
  readonly loader: BuiltFile;
  /** The script that the loader fetches shortly before the widget opens. */
  readonly opening: BuiltFile;
  /** Asset name of the frame's entry script. */
  readonly script: string;
  /** Asset names of all modules that the entry script imports, for `modulepreload`. */
  readonly imports: readonly string[];
  readonly styles: readonly string[];
}

const FOLDER = folderOf(import.meta.resolve('@gatehouse/widget/dist/manifest.json'));
const LOADER = 'embed.js';
const OPENING = 'embed-chat.js';

/** Reads the built widget from disk. Throws `NotBuilt` if a file is missing. */
export function readBuiltWidget(folder = FOLDER): BuiltWidget {
  const built = readBuiltFiles({ name: 'widget', folder, entry: 'frame/main.tsx' });
  const { files, script, imports, styles } = built;
  const take = (name: string): BuiltFile => {
    const file = files.get(name);
    if (file === undefined) throw new NotBuilt('widget', new Error(`${name} is missing.`));
    files.delete(name);
    return file;
  };
  return { assets: files, loader: take(LOADER), opening: take(OPENING), script, imports, styles };
}
