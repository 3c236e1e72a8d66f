import { isIP } from 'node:net';
import type { Kind, Parsed } from './kinds.ts';

const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;

/** A host to listen on: a name or an address, without scheme, port or brackets. */
export const host: Kind<string> = {
  words: 'host name or IP address',
  secret: false,
  parse: (text) =>
    isIP(text) !== 0 || (HOST_NAME.test(text) && !/^[\d.]+$/.test(text))
      ? { value: text }
      : { problem: 'must be a host name or an IP address, without scheme, port or brackets' },
};

/**
 * The address that people and browsers use for this service: an origin. The value is normalised as
 * browsers do it (lower case, no default port), so that it can be compared with an `Origin` header.
 *
 * A path is refused: routes, the widget page and its headers assume that the service owns its origin.
 */
export const origin: Kind<string> = {
  words: 'absolute `http://` or `https://` URL with nothing after host and port',
  secret: false,
  parse: (text) => {
    const read = readUrl(text, (url) => [
      url.pathname !== '/' ? 'a path' : '',
      text.endsWith('/') && url.pathname === '/' ? 'a trailing slash' : '',
    ]);
    return 'problem' in read ? read : { value: read.value.origin };
  },
};

/**
 * The address of an API: an origin with or without a path, without a slash at its end. Credentials have a
 * setting of their own, since a URL is easily shown.
 */
export const endpoint: Kind<string> = {
  words: 'absolute `http://` or `https://` URL, with a path where the API has one',
  secret: false,
  parse: (text) => {
    const read = readUrl(text);
    return 'problem' in read ? read : { value: read.value.href.replace(/\/+$/, '') };
  },
};

/**
 * An absolute `http:` or `https:` URL that has neither credentials nor query nor fragment.
 *
 * @param furtherExcess what else it must not have, in words; empty ones are left out.
 */
function readUrl(
  text: string,
  furtherExcess: (url: URL) => readonly string[] = () => [],
): Parsed<URL> {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\/[^/?#\\]/i.test(text)) {
    return { problem: 'must be an absolute http:// or https:// URL' };
  }
  const excess = [
    url.username || url.password ? 'credentials' : '',
    text.includes('?') ? 'a query' : '',
    text.includes('#') ? 'a fragment' : '',
    ...furtherExcess(url),
  ].filter((part) => part !== '');
  return excess.length > 0 ? { problem: `must not have ${excess.join(' or ')}` } : { value: url };
}

/** Addresses and networks in CIDR notation, separated by commas; empty text is an empty list. */
export const networks: Kind<readonly string[]> = {
  words: 'IP addresses and networks (`10.0.0.0/8`), separated by commas',
  secret: false,
  parse: (text) => {
    if (text === '') return { value: [] };
    const value = text.split(',').map((entry) => entry.trim());
    const wrong = value.findIndex((entry) => !isNetwork(entry));
    return wrong === -1
      ? { value }
      : { problem: `entry ${wrong + 1} must be an IP address or a network such as 10.0.0.0/8` };
  },
};

/** A network of length 0 is refused: it would let anybody claim any address. */
function isNetwork(entry: string): boolean {
  const [address = '', length, ...rest] = entry.split('/');
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (length === undefined) return true;
  return /^[1-9]\d{0,2}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128);
}
