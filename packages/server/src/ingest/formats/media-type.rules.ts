/** A media type from a `Content-Type` header or a `datacontenttype` attribute (RFC 9110, section 8.3.1). */
export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly essence: string;
  readonly charset: string | null;
}

/** Maximum length in characters. Longer texts are rejected without parsing. */
const MAX_LENGTH = 1000;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[\\t !#-\\[\\]-~]|\\\\[\\t -~])*"';
const ESSENCE = new RegExp(`[ \\t]*(${TOKEN}/${TOKEN})[ \\t]*`, 'y');
const PARAMETER = new RegExp(
  `;[ \\t]*(?:(${TOKEN})[ \\t]*=[ \\t]*(${TOKEN}|${QUOTED})[ \\t]*)?`,
  'y',
);

/**
 * Returns `null` if the text is not a media type or has a duplicate parameter.
 *
 * @example
 * parseMediaType('Text/Plain; charset=UTF-8'); // { essence: 'text/plain', charset: 'utf-8' }
 */
export function parseMediaType(text: string): MediaType | null {
  if (text.length > MAX_LENGTH) return null;
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

/** Reports whether the media type is JSON (CloudEvents 1.0.2, JSON format, section 3.1.1). */
export function isJson({ essence }: MediaType): boolean {
  return essence.endsWith('/json') || essence.endsWith('+json');
}

/** Reports whether the charset is UTF-8, which is also the default. */
export function isUtf8({ charset }: MediaType): boolean {
  return charset === null || charset === 'utf-8' || charset === 'utf8';
}
