import { registerHooks } from 'node:module';
import { type Defect, type Replacement, replaceIn } from '../defects.ts';

const SOURCES = new URL('../../../../src/', import.meta.url).href;

interface Replaced {
  /** Modules that our source files import, and the modules that they get instead. */
  readonly modules: Readonly<Record<string, URL>>;
  readonly replacements: readonly Replacement[];
  /** Defects, of which `GATEHOUSE_SIMULATED_DEFECT` can name one. */
  readonly defects: readonly Defect[];
  /** Changes the source text of a file, whose path is relative to `packages/server/src`. */
  readonly change?: (file: string, source: string) => string;
}

/** Replaces imports and texts of our source files, which are loaded later. Throws if there is no defect of the given name. */
export function replaceSources({
  modules,
  replacements,
  defects,
  change = (_, source) => source,
}: Replaced): void {
  const name = process.env['GATEHOUSE_SIMULATED_DEFECT'];
  const defect = defects.find((one) => one.name === name);
  if (name !== undefined && defect === undefined) throw new Error(`there is no defect ${name}`);
  const all = [...replacements, ...(defect?.replacements ?? [])];
  registerHooks({
    resolve: (specifier, context, next) => {
      const replaced = modules[specifier];
      if (replaced === undefined || context.parentURL?.startsWith(SOURCES) !== true)
        return next(specifier, context);
      return { url: replaced.href, shortCircuit: true };
    },
    load: (url, context, next) => {
      const loaded = next(url, context);
      if (!url.startsWith(SOURCES)) return loaded;
      const file = url.slice(SOURCES.length);
      return { ...loaded, source: change(file, replaceIn(file, String(loaded.source), all)) };
    },
  });
}
