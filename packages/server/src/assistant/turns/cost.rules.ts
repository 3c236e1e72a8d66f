/** What a model's API asks for a million tokens, in whatever currency the operator reckons in. */
export interface Prices {
  readonly input: number;
  readonly output: number;
}

/** What tokens cost, in millionths of that currency's unit: a token's price is just that of a million in them. */
export function costOf({ input, output }: Prices, inputTokens: number, outputTokens: number) {
  return inputTokens * input + outputTokens * output;
}
