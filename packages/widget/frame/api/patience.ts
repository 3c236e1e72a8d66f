const PATIENCE_MS = 20_000;

/** A signal for a request that is given up after 20 s: a connection that is gone may stay silent for minutes. */
export function patience(): AbortSignal {
  const silence = new AbortController();
  setTimeout(() => silence.abort(), PATIENCE_MS);
  return silence.signal;
}
