/** A media type as it stands in a `Content-Type` or a `datacontenttype` (RFC 2046; RFC 9110, section 8.3.1). */
export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly essence: string;
  /** The `charset` in lower case; null without one. */
  readonly charset: string | null;
}

/** A longer one is none: an attribute may have megabytes. */
const LONGEST = 1000;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*"';
const ESSENCE = new RegExp(`[ \\t]*(${TOKEN}/${TOKEN})[ \\t]*`, 'y');
const PARAMETER = new RegExp(
  `;[ \\t]*(?:(${TOKEN})[ \\t]*=[ \\t]*(${TOKEN}|${QUOTED})[ \\t]*)?`,
  'y',
);

/** Reads a media type; null when it is none, also when it gives a parameter twice. */
export function parseMediaType(text: string): MediaType | null {
  if (text.length > LONGEST) return null;
  ESSENCE.lastIndex = 0;
  const essence = ESSENCE.exec(text)?.[1]?.toLowerCase();
  if (essence === undefined) return null;
  const parameters = new Map<string, string>();
  let at = ESSENCE.lastIndex;
  while (at < text.length) {
    PARAMETER.lastIndex = at;
    const found = PARAMETER.exec(text);
    if (found === null) return null;
    at = PARAMETER.lastIndex;
    const [, name, value] = found;
    if (name === undefined || value === undefined) continue;
    if (parameters.has(name.toLowerCase())) return null;
    parameters.set(name.toLowerCase(), unquoted(value));
  }
  return { essence, charset: parameters.get('charset')?.toLowerCase() ?? null };
}

function unquoted(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value;
}

/** Whether it declares JSON (CloudEvents 1.0.2, JSON format, section 3.1.1). */
export function isJson({ essence }: MediaType): boolean {
  return essence.endsWith('/json') || essence.endsWith('+json');
}

/** Whether its content is UTF-8, as far as it says. */
export function isUtf8({ charset }: MediaType): boolean {
  return charset === null || charset === 'utf-8' || charset === 'utf8';
}
