/** An API of models that speaks as OpenAI does. */
export interface ModelApi {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string | null;
  readonly model: string;
}

export interface EmbeddingOrder {
  readonly id: number;
  readonly texts: readonly string[];
  readonly timeoutMs: number;
}

export type EmbeddingReply =
  | { readonly id: number; readonly vectors: readonly Float32Array[] }
  /** The words that follow "the embedding model". */
  | { readonly id: number; readonly failure: string };
