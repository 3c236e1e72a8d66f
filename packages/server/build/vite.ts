import { build, type PluginOption, type Rolldown } from 'vite';
import { toAscii } from './ascii.ts';
import { SERVER } from './freshness.ts';

export interface NodeBundle {
  /** Programs or packages by the names of their files, without extension. */
  readonly input: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Conditions of `exports` in package.json, in addition to `default`. */
  readonly conditions: readonly string[];
  /** Pattern of the names of shared files. */
  readonly chunks: string;
  readonly plugins?: PluginOption[];
}

/** Writes a bundle for Node that contains all packages. It finds the packages from the folder of the server. */
export async function bundleForNode(bundle: NodeBundle): Promise<void> {
  const { NODE_ENV } = process.env;
  await build({
    configFile: false,
    root: SERVER,
    logLevel: 'error',
    ssr: { noExternal: true, resolve: { conditions: [...bundle.conditions, 'default'] } },
    plugins: bundle.plugins ?? [],
    build: {
      ssr: true,
      outDir: bundle.folder,
      target: 'esnext',
      minify: false,
      rolldownOptions: {
        input: { ...bundle.input },
        output: {
          entryFileNames: '[name].mjs',
          chunkFileNames: bundle.chunks,
          comments: { legal: true, annotation: false, jsdoc: false },
          plugins: [{ name: 'ascii', generateBundle: writeInAscii }],
        },
      },
    },
  });
  // Vite sets the variable. Tests would inherit it, and npm would then omit development dependencies.
  if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
}

/** Changes the finished files. If it changed the code earlier, the bundler would replace escape sequences by their characters again. */
function writeInAscii(_: unknown, bundle: Rolldown.OutputBundle): void {
  for (const file of Object.values(bundle))
    if (file.type === 'chunk') file.code = toAscii(file.code);
}
