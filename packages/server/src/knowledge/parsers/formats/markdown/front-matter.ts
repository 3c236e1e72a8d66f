const FENCE = /^---[ \t]*\r?\n/;
const END = /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m;
const FIELD = /^([a-z]+):[ \t]*(.*?)[ \t\r]*$/gim;
const MAX_LENGTH = 20_000;

interface FrontMatter {
  /** Simple fields by their lower-case name, without quotes around the value. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Parts a Markdown text from the fields (YAML between `---`) that many tools put before it. */
export function splitFrontMatter(text: string): FrontMatter {
  const [fence] = FENCE.exec(text) ?? [];
  if (fence === undefined) return { fields: new Map(), body: text };
  const rest = text.slice(fence.length, MAX_LENGTH);
  const end = END.exec(rest);
  if (end === null) return { fields: new Map(), body: text };
  const fields = new Map<string, string>();
  for (const [, name = '', value = ''] of rest.slice(0, end.index).matchAll(FIELD))
    fields.set(name.toLowerCase(), value.replace(/^(["'])(.*)\1$/, '$2'));
  return { fields, body: text.slice(fence.length + end.index + end[0].length) };
}
