import { isUtf8 } from 'node:buffer';
import { shownName } from '../../lib/json/index.ts';

export const PREFIX = 'ce-';

export interface AttributeHeaders {
  /** Decoded values by lower-case attribute name. Values that cannot be decoded are omitted. */
  readonly values: ReadonlyMap<string, string>;
  /** Names of all attributes in the headers, including those that cannot be decoded. */
  readonly names: ReadonlySet<string>;
  /** Each problem starts with the name of its attribute. */
  readonly problems: readonly string[];
}

const NOT_HEADERS = new Map([
  ['datacontenttype', 'is the Content-Type header in binary mode; remove this header'],
  ['data', 'is the body in binary mode; remove this header'],
  ['auth', 'must not be a header; send the credential in the Authorization header'],
]);

/**
 * Parses the headers of an event in binary mode (CloudEvents 1.0.2, HTTP binding, section 3.1.3).
 * Unescapes quoted strings, then decodes percent-encoding once.
 *
 * @param rawHeaders alternating names and values, as in `IncomingMessage.rawHeaders`.
 */
export function readAttributeHeaders(rawHeaders: readonly string[]): AttributeHeaders {
  const values = new Map<string, string>();
  const names = new Set<string>();
  const problems: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = (rawHeaders[at] as string).toLowerCase();
    if (!header.startsWith(PREFIX)) continue;
    const name = header.slice(PREFIX.length);
    const read = names.has(name)
      ? { problem: 'is given twice' }
      : decode(name, rawHeaders[at + 1] as string);
    names.add(name);
    if ('problem' in read) {
      values.delete(name);
      problems.push(`${shownName(name)}: ${read.problem}`);
    } else values.set(name, read.value);
  }
  return { values, names, problems: [...new Set(problems)] };
}

type Decoded = { readonly value: string } | { readonly problem: string };

function decode(name: string, written: string): Decoded {
  const problem = NOT_HEADERS.get(name);
  if (problem !== undefined) return { problem };
  if (!/^[ -~]*$/.test(written))
    return { problem: 'must be printable ASCII; percent-encode all other characters as UTF-8' };
  const text = unquoted(written);
  if (text === null) return { problem: 'has a quoted string with a missing closing quote' };
  return percentDecoded(text);
}

/** Unescapes quoted strings (RFC 9110, section 5.6.4). Returns `null` if the closing quote is missing. */
function unquoted(text: string): string | null {
  if (!text.includes('"')) return text;
  let plain = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === '\\') plain += text[++at] ?? '';
    else plain += character;
  }
  return isQuoted ? null : plain;
}

function percentDecoded(text: string): Decoded {
  if (!text.includes('%')) return { value: text };
  if (/%(?![0-9a-fA-F]{2})/.test(text))
    return {
      problem: 'must have two hexadecimal digits after each "%"; write %25 for a literal "%"',
    };
  const latin = text.replace(/%(..)/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  const bytes = Buffer.from(latin, 'latin1');
  if (!isUtf8(bytes)) return { problem: 'must be valid UTF-8 after percent-decoding' };
  return { value: bytes.toString('utf8') };
}
