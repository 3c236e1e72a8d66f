import { isUtf8 } from 'node:buffer';
import { shownName } from '../../lib/json/index.ts';

export const PREFIX = 'ce-';

/** The attributes of an event in binary mode, as its headers give them. */
export interface AttributeHeaders {
  /** Decoded, by their names in lower case; those that cannot be decoded are missing. */
  readonly values: ReadonlyMap<string, string>;
  /** Every name that is given, decodable or not. */
  readonly names: ReadonlySet<string>;
  /** Each begins with the attribute it is about. */
  readonly problems: readonly string[];
}

/** What is no attribute in this mode, and where it belongs. */
const ELSEWHERE = new Map([
  ['datacontenttype', 'is the Content-Type in binary mode; leave the header out'],
  ['data', 'is the body in binary mode'],
  ['auth', 'must not be a header; send the credential as Authorization'],
]);

/**
 * Reads the headers of an event in binary mode (CloudEvents 1.0.2, HTTP binding, section 3.1.3):
 * quoted strings are unescaped, then percent-encoding is decoded once.
 *
 * @param rawHeaders names and values in turn, as Node gives them.
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
      ? { fault: 'is given twice' }
      : decode(name, rawHeaders[at + 1] as string);
    names.add(name);
    if ('fault' in read) {
      values.delete(name);
      problems.push(`${shownName(name)}: ${read.fault}`);
    } else values.set(name, read.value);
  }
  return { values, names, problems: [...new Set(problems)] };
}

type Decoded = { readonly value: string } | { readonly fault: string };

function decode(name: string, written: string): Decoded {
  const elsewhere = ELSEWHERE.get(name);
  if (elsewhere !== undefined) return { fault: elsewhere };
  if (!/^[ -~]*$/.test(written))
    return { fault: 'must have all but printable ASCII percent-encoded, as UTF-8' };
  const text = unquoted(written);
  if (text === null) return { fault: 'has a quoted string that does not end' };
  return percentDecoded(text);
}

/** RFC 9110, section 5.6.4; null when a quote is left open. */
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
      fault: 'must have two hexadecimal digits after each "%"; write %25 for the character',
    };
  const latin = text.replace(/%(..)/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  const bytes = Buffer.from(latin, 'latin1');
  if (!isUtf8(bytes)) return { fault: 'must be UTF-8 where it is percent-encoded' };
  return { value: bytes.toString('utf8') };
}
