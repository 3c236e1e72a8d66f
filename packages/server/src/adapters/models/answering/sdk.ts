type Sdk = typeof import('ai') & typeof import('@ai-sdk/openai-compatible');

let loading: Promise<Sdk> | null = null;

/** The AI SDK, loaded when it is first needed: an installation without a model never pays for it. */
export function loadSdk(): Promise<Sdk> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Sdk> {
  const [ai, provider] = await Promise.all([import('ai'), import('@ai-sdk/openai-compatible')]);
  // It would print them, and what it prints is not for us to decide.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  return { ...ai, ...provider };
}
