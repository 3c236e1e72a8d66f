import type { ModelApi } from './models.ts';

/** Prices per million tokens, in the operator's currency. */
export interface Prices {
  readonly input: number;
  readonly output: number;
}

/** A model under the name that bots and settings use. */
export interface ConfiguredModel {
  readonly api: ModelApi;
  /** Name of the model in its API. */
  readonly model: string;
  /** `null`: costs are not recorded. */
  readonly prices: Prices | null;
}

export interface ModelDirectoryOptions {
  /** The API of all models that `named` does not contain. `null`: there are no such models. */
  readonly api: ModelApi | null;
  readonly prices?: Prices | null;
  readonly named?: ReadonlyMap<string, ConfiguredModel>;
  /** The model that answers if a bot names no model, or null. */
  readonly name: string | null;
  /** The model that answers if another model cannot, or null. */
  readonly fallback?: string | null;
}

export interface ModelDirectory {
  readonly name: string | null;
  readonly fallback: string | null;
  /** False if `find` never returns a model. */
  readonly hasModels: boolean;
  /** Returns a model, or null if neither its name nor an API for other names is configured. */
  find(name: string): ConfiguredModel | null;
}

/** Creates the directory. A name that is configured takes precedence over a model of the same name in `api`. */
export function createModelDirectory(options: ModelDirectoryOptions): ModelDirectory {
  const { api, name, fallback = null, prices = null, named = new Map() } = options;
  return {
    name,
    fallback,
    hasModels: api !== null || named.size > 0,
    find: (wanted) => named.get(wanted) ?? (api === null ? null : { api, model: wanted, prices }),
  };
}
