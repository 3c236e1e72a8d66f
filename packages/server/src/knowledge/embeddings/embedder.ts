/** Texts become vectors, which lie near each other when the texts mean similar things. */
export interface Embedder {
  /** Its name, which is kept with each vector: those of two models cannot be compared. */
  readonly model: string;
  /**
   * One vector for each text, in their order, all of the same number of dimensions, which is what the
   * model gives: finite numbers, not all of them 0.
   *
   * Rejects with `EmbeddingFailed` when they are not there within `timeoutMs`, whatever the model did.
   */
  embed(texts: readonly string[], timeoutMs: number): Promise<readonly Float32Array[]>;
  /** Ends what runs, and rejects what waits. */
  close(): Promise<void>;
}

/** The model gave no vectors. The message shows neither texts nor keys, and there is no cause that could. */
export class EmbeddingFailed extends Error {
  override readonly name = 'EmbeddingFailed';
}
