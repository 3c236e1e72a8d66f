/**
 * The data of server-sent events as they come
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html), for the little of the format that
 * the service uses: each event has one line `data: …`; everything else, comments included, is skipped,
 * but for an empty text that tells of a sign of life.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      yield '';
      for (const line of lines) if (line.startsWith('data: ')) yield line.slice(6).trimEnd();
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}
